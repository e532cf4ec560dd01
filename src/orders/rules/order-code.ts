/**
 * The code of a completed order is what the buyer quotes: 8 characters of [a-z0-9], random to look at and unique on the
 * platform (contract, decisions 4). It is a permutation of the order's number, which is unique already, so no two orders
 * can share a code and none has to be tried twice. The permutation is a four-round Feistel network over 42 bits, keyed by
 * a secret of the installation (Luby and Rackoff, 1988); a result past 36^8 is permuted again until it is inside
 * (cycle walking; Black and Rogaway, 2002).
 */
import { hash } from 'node:crypto'

const CODES = 36 ** 8
const HALF = 2 ** 21
const ROUNDS = 4

/** `number` is an integer from 0, below 36^8; `key` is the installation's secret. */
export function orderCode(number: number, key: string): string {
  let value = number
  do value = permute(value, key)
  while (value >= CODES)
  return value.toString(36).padStart(8, '0')
}

function permute(value: number, key: string): number {
  let left = Math.floor(value / HALF)
  let right = value % HALF
  for (let round = 0; round < ROUNDS; round++)
    [left, right] = [right, (left ^ roundValue(round, right, key)) % HALF]
  return left * HALF + right
}

/** Of the digest only a few bits are used, so that it cannot be extended to that of a longer text: no HMAC is needed. */
function roundValue(round: number, half: number, key: string): number {
  return Number.parseInt(hash('sha256', `${key}:${round}:${half}`).slice(0, 8), 16) % HALF
}
