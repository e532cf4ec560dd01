/** Lists that are read again and again, by clients that accept compressed answers, as most do, and by those that do not. */
import assert from 'node:assert/strict'
import { gunzipSync } from 'node:zlib'
import type { Sale } from './catalog.ts'
import { connect, type Client, type Encoding } from './client.ts'
import { latenciesOf, number } from './rows.ts'
import type { Buyer, Measured } from './rush.ts'
import type { Target } from './service.ts'

export const ENCODINGS: readonly Encoding[] = ['gzip', 'identity']

/** `bytes` is what an answer with it takes. */
export type List = { path: string; encoding: Encoding; bytes: number }
export type Store = { target: Target; sale: Sale }
export type ListWish = { path: string; encoding: Encoding; entries: number }

/** While it sells, a list of the same entries takes some bytes more or less; one of fewer bytes is not whole. */
const LEAST_SHARE = 0.8

/** Reads the list once. Throws unless it comes in the encoding, with all its entries. */
export async function readList(store: Store, { path, encoding, entries }: ListWish): Promise<List> {
  const answer = await withClient(store, (client) => client.get(path, encoding))
  assert.equal(answer.status, 200, `${path} answered ${answer.status}`)
  assert.equal(answer.encoding, encoding)
  const text = encoding === 'gzip' ? gunzipSync(answer.body) : answer.body
  const list = JSON.parse(text.toString()) as unknown[]
  assert.equal(list.length, entries, `${path} has ${list.length} of ${entries} entries`)
  return { path, encoding, bytes: answer.bytes }
}

/** Milliseconds until all of a list that nobody has asked for had come. Throws unless it is the list that comes from then on. */
export async function readListCold(store: Store, wish: ListWish): Promise<number> {
  const { ms, bytes } = await withClient(store, async (client) => {
    const sent_at = performance.now()
    const answer = await client.skim(wish.path, wish.encoding)
    return { ms: performance.now() - sent_at, bytes: answer.bytes }
  })
  assert.equal(bytes, (await readList(store, wish)).bytes)
  return ms
}

/** A visit that reads a list which was read before. */
export async function readListAgain(
  buyer: Buyer,
  kind: string,
  { path, encoding, bytes }: List,
): Promise<void> {
  const answer = await buyer.skim(kind, path, encoding)
  const is_whole =
    answer.status === 200 && answer.encoding === encoding && answer.bytes >= bytes * LEAST_SHARE
  if (!is_whole) buyer.failed(kind, answer)
}

/** How large the answers were. */
export function describeSize(measured: Measured): string {
  const { received_bytes } = measured
  return `${number(Math.round(received_bytes / latenciesOf(measured).length))} bytes an answer`
}

async function withClient<T>({ target, sale }: Store, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect({ url: target.base_urls[0], key: sale.key })
  try {
    return await work(client)
  } finally {
    client.close()
  }
}
