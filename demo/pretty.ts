const WIDTH = 120
const ENTRIES_MAX = 3
const LINES_MAX = 90
const TEXT_MAX = 160

/** JSON for people: short fields share a line; what is left out of a long body is said where it is left out. */
export function pretty(value: unknown): string {
  const lines = layOut(value, '').split('\n')
  if (lines.length <= LINES_MAX) return lines.join('\n')
  return [...lines.slice(0, LINES_MAX), `… ${count(lines.length - LINES_MAX)} more lines`].join('\n')
}

function layOut(value: unknown, indent: string): string {
  if (typeof value === 'string' && value.length > TEXT_MAX) {
    return `${JSON.stringify(value.slice(0, TEXT_MAX))} … ${count(value.length - TEXT_MAX)} more characters`
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  const parts = partsOf(value, inner)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (parts.length === 0) return open + close
  const line = `${open} ${parts.join(', ')} ${close}`
  if (fits(line, indent)) return line
  return `${open}\n${fill(parts, inner).join('\n')}\n${indent}${close}`
}

function partsOf(value: object, indent: string): string[] {
  if (!Array.isArray(value)) {
    return Object.entries(value).map(([key, entry]) => `${JSON.stringify(key)}: ${layOut(entry, indent)}`)
  }
  const parts = value.slice(0, ENTRIES_MAX).map((entry) => layOut(entry, indent))
  return value.length > ENTRIES_MAX ? [...parts, `… ${count(value.length - ENTRIES_MAX)} more`] : parts
}

/** Lines of parts; objects and lists have lines of their own. */
function fill(parts: readonly string[], indent: string): string[] {
  const lines: string[] = []
  let may_go_on = false
  for (const [index, part] of parts.entries()) {
    const text = index < parts.length - 1 ? `${part},` : part
    const is_short = !/[{[]/.test(part)
    const longer = `${lines.at(-1)} ${text}`
    if (may_go_on && is_short && fits(longer, '')) lines[lines.length - 1] = longer
    else lines.push(indent + text)
    may_go_on = is_short
  }
  return lines
}

function fits(text: string, indent: string): boolean {
  return !text.includes('\n') && indent.length + text.length <= WIDTH
}

function count(number: number): string {
  return number.toLocaleString('en')
}
