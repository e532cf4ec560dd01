/**
 * A barcode is 17 digits, unguessable and unique (contract, decisions 4). Its first five digits are the shard of the
 * event, 10000 for shard 0, so that a scanned code routes itself to its partition and uniqueness inside a shard is
 * uniqueness on the platform. The other twelve are random: among a million valid ones a guess hits once in a million.
 */

/** How many values `random` may have. */
export const BARCODE_RANDOM_BELOW = 1_000_000_000_000

/** `random` is an integer from 0, below BARCODE_RANDOM_BELOW, from a secure source. */
export function formatBarcode(shard: number, random: number): string {
  return String(10_000 + (shard & 0xffff)) + String(random).padStart(12, '0')
}
