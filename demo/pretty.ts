const WIDTH = 110
const ENTRIES_MAX = 3
const LINES_MAX = 70
const TEXT_MAX = 160

/** JSON for people: what fits a line stands on one; what is left out of a long body is said where it is left out. */
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
  const parts = partsOf(value, `${indent}  `)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (parts.length === 0) return open + close
  const line = `${open} ${parts.join(', ')} ${close}`
  if (!line.includes('\n') && indent.length + line.length <= WIDTH) return line
  return `${open}\n${parts.map((part) => `${indent}  ${part}`).join(',\n')}\n${indent}${close}`
}

function partsOf(value: object, indent: string): string[] {
  if (!Array.isArray(value)) {
    return Object.entries(value).map(([key, entry]) => `${JSON.stringify(key)}: ${layOut(entry, indent)}`)
  }
  const parts = value.slice(0, ENTRIES_MAX).map((entry) => layOut(entry, indent))
  return value.length > ENTRIES_MAX ? [...parts, `… ${count(value.length - ENTRIES_MAX)} more`] : parts
}

function count(number: number): string {
  return number.toLocaleString('en')
}
