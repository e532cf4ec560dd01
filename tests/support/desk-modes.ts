/** How many batches of a service's desk were written without asking first, asked, or were refused and then asked. */
export type DeskModes = { optimistic: number; asking: number; refused: number }

export async function readDeskModes(base_url: string): Promise<DeskModes> {
  const response = await fetch(`${base_url}/metrics`)
  const text = await response.text()
  const count = (mode: string) => {
    const line = new RegExp(`^parterre_desk_batches_total\\{mode="${mode}"\\} (\\d+)$`, 'm').exec(text)
    return Number(line?.[1] ?? 0)
  }
  if (!text.includes('# TYPE parterre_desk_batches_total counter')) throw new Error('no such counter')
  return { optimistic: count('optimistic'), asking: count('asking'), refused: count('refused') }
}

/** What `work` answers, and what the desk's batches were meanwhile. */
export async function withDeskModes<T>(base_url: string, work: () => Promise<T>): Promise<[T, DeskModes]> {
  const before = await readDeskModes(base_url)
  const result = await work()
  const after = await readDeskModes(base_url)
  return [
    result,
    {
      optimistic: after.optimistic - before.optimistic,
      asking: after.asking - before.asking,
      refused: after.refused - before.refused,
    },
  ]
}
