/** The number that an option of the command line was given; throws what it must be. */
export function readNumber(
  option: string,
  text: string,
  { least, most = 1_000_000, whole = false }: { least: number; most?: number; whole?: boolean },
): number {
  const value = Number(text)
  const is_number = /^\d+(\.\d+)?$/.test(text) && (!whole || Number.isInteger(value))
  if (!is_number || value < least || value > most)
    throw new Error(`${option} must be a number from ${least} to ${most}`)
  return value
}
