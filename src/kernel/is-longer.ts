/**
 * Whether a text has more than `max` characters as people and JSON Schema count them: code points, not the units of UTF-16,
 * of which some take two.
 */
export function isLonger(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || Array.from(text).length > max)
}
