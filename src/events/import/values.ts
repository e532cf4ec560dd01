/** Values of a checked document as the database keeps them. */
import assert from 'node:assert/strict'
import { parseIsoTime } from '../../kernel/iso-time.ts'
import { parseMoney, parsePercent } from '../../kernel/money.ts'

/** Minor units. */
export const toMinor = (text: string): number => checked(parseMoney(text))
/** 0.0001 %. */
export const toShare = (text: string): number => checked(parsePercent(text))
/** Epoch milliseconds. */
export const toTime = (text: string): number => checked(parseIsoTime(text))
export const toIso = (text: string): string => new Date(toTime(text)).toISOString()

/** An end that is left out is null. */
export function toEnds(lifetime: { start?: string; finish?: string } = {}) {
  const { start, finish } = lifetime
  return { start: orNull(start, toIso), finish: orNull(finish, toIso) }
}

export const orNull = <In, Out>(value: In | undefined, convert: (value: In) => Out): Out | null =>
  value === undefined ? null : convert(value)

/** The form was checked before. */
function checked(value: number | undefined): number {
  assert(value !== undefined)
  return value
}
