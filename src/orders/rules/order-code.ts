/**
 * The code of a completed order is what the buyer quotes: 8 characters of [a-z0-9], random to look at and unique on the
 * platform (contract, decisions 4). It is a permutation of the order's number, which is unique already, so no two orders
 * can share a code and none has to be tried twice. The permutation is a four-round Feistel network, keyed by a secret of the
 * installation (Luby and Rackoff, 1988), whose halves are four characters each and are added modulo their number instead of
 * by XOR, so that every result is a code (Black and Rogaway, 2002, generalized Feistel cipher).
 */
import { hash } from 'node:crypto'

const HALF = 36 ** 4
const ROUNDS = 4

/** `number` is an integer from 0, below 36^8; `key` is the installation's secret. */
export function orderCode(number: number, key: string): string {
  let left = Math.floor(number / HALF)
  let right = number % HALF
  for (let round = 0; round < ROUNDS; round++)
    [left, right] = [right, (left + roundValue(round, right, key)) % HALF]
  return (left * HALF + right).toString(36).padStart(8, '0')
}

/** Of the digest only a few bits are used, so that it cannot be extended to that of a longer text: no HMAC is needed. */
function roundValue(round: number, half: number, key: string): number {
  return Number.parseInt(hash('sha256', `${key}:${round}:${half}`).slice(0, 8), 16) % HALF
}
