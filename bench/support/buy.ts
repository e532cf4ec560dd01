/** What buyers send. Answers are searched, not parsed: the load must stay small beside the service. */
import type { Sale, SaleEvent } from './catalog.ts'
import type { Answer } from './client.ts'
import { rush, type Buyer } from './rush.ts'
import type { Target } from './service.ts'

export const ORDERS = '/v2/resources/orders'
export const COMPLETION = '{"status":"done"}'
const WARMUP_CLIENTS = 64
const WARMUP_TICKETS = 2

/** An order that is not completed, with the tickets it holds. */
export type Held = { id: string; tickets: number }

/** The body of a POST that asks for tickets of the event's set by count. */
export function wish({ id, set }: SaleEvent, tickets: number): string {
  return JSON.stringify({ event: id, random: { [set]: tickets } })
}

/** POSTs an order; undefined when the answer was not right. */
export async function hold(buyer: Buyer, body: string): Promise<Held | undefined> {
  const answer = await buyer.send('POST', 'POST', ORDERS, body)
  return readHeld(buyer, 'POST', answer)
}

/** PATCHes an order that stays open. */
export async function change(buyer: Buyer, id: string, body: string): Promise<Held | undefined> {
  const answer = await buyer.send('PATCH', 'PATCH', `${ORDERS}/${id}`, body)
  return readHeld(buyer, 'PATCH', answer)
}

/** The order that a POST or PATCH was answered with; undefined when the answer was not right. */
export function readHeld(buyer: Buyer, kind: string, answer: Answer): Held | undefined {
  const { status, body } = answer
  const id = /^{"data":{"id":"([0-9a-f]{24})"/.exec(body.toString('latin1', 0, 64))?.[1]
  if (status !== 200 || id === undefined) {
    buyer.failed(kind, answer)
    return undefined
  }
  return { id, tickets: count(body, '"barcode":null') }
}

/** PATCHes the order done; answers whether it is, with a barcode for each ticket. */
export async function complete(buyer: Buyer, { id, tickets }: Held): Promise<boolean> {
  const answer = await buyer.send('PATCH done', 'PATCH', `${ORDERS}/${id}`, COMPLETION)
  return readDone(buyer, answer, tickets)
}

/** Whether a PATCH done was answered with a barcode for each of so many tickets; then the order counts. */
export function readDone(buyer: Buyer, answer: Answer, tickets: number): boolean {
  const { status, body } = answer
  const is_done = status === 200 && body.includes('"status":"done"') && count(body, '"barcode":"') === tickets
  if (is_done) buyer.completed(tickets)
  else buyer.failed('PATCH done', answer)
  return is_done
}

/** POST of `body`, which asks for `wanted` tickets, then PATCH done of what was to be had; answers how many tickets were. */
export async function buy(buyer: Buyer, body: string, wanted: number): Promise<number> {
  const held = await hold(buyer, body)
  if (held === undefined) return 0
  if (held.tickets < wanted) buyer.refused()
  return held.tickets > 0 && (await complete(buyer, held)) ? held.tickets : 0
}

/** Sells standing places of an event of its own for a while, so that what is measured next meets a service that has run. */
export async function warmUp(
  { target, sale, seconds }: { target: Target; sale: Sale; seconds: number },
  event: SaleEvent,
): Promise<void> {
  if (seconds === 0) return
  const body = wish(event, WARMUP_TICKETS)
  const { errors } = await rush({ target, sale, clients: WARMUP_CLIENTS, seconds }, async (buyer) => {
    await buy(buyer, body, WARMUP_TICKETS)
  })
  const [error] = errors.keys()
  if (error !== undefined) throw new Error(`the warm-up failed: ${error}`)
}

function count(body: Buffer, text: string): number {
  let times = 0
  for (let at = body.indexOf(text); at !== -1; at = body.indexOf(text, at + text.length)) times++
  return times
}
