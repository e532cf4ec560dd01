import type { Sale } from './catalog.ts'
import { connect } from './client.ts'
import type { Target } from './service.ts'

export function seatsPath(event: string): string {
  return `/v1/resources/events/${event}/tickets`
}

/** The ids of the event's vacant seats in the order of the listing: row by row, neighbours side by side. */
export async function readSeats(target: Target, { key }: Sale, event: string): Promise<string[]> {
  const client = await connect({ url: target.base_urls[0], key })
  const { status, body } = await client.send('GET', `${seatsPath(event)}?status=vacant`)
  client.close()
  if (status !== 200) throw new Error(`the listing of seats answered ${status} ${body.toString()}`)
  return (JSON.parse(body.toString()) as { id: string }[]).map(({ id }) => id)
}
