import { createClient, type Client } from '../support/client.ts'
import type { TestDatabase } from '../support/database.ts'
import type { World } from '../support/makers.ts'
import { stalledBy } from '../support/stall.ts'

/** Races for one refund request. `sides` are the vendor's clients of two services. */
export type RefundRace = { database: TestDatabase; world: World; sides: [Client, Client] }

const PATH = '/v2/resources/refund_requests'

export function makeRefundRace(
  { database, world }: Pick<RefundRace, 'database' | 'world'>,
  base_urls: [string, string],
): RefundRace {
  const clientOf = (url: string) => createClient(url, world.key('vendor'))
  return { database, world, sides: [clientOf(base_urls[0]), clientOf(base_urls[1])] }
}

/** A done order of two standing places, of which the first is to be given back. */
export async function sellTwo({ sides: [client], world }: RefundRace) {
  const body = { event: world.id('event'), random: { [world.id('standing')]: 2 } }
  const { data } = (await client.createOrder(body)).body
  await client.changeOrder(data.id, { status: 'done' })
  return { order: data.id, culprit: 'org', tickets: data.tickets.slice(0, 1).map((ticket) => ticket.id) }
}

export async function askFor(client: Client, body: unknown): Promise<{ status: number; id: string }> {
  const answer = await client.send<{ data?: { id: string } }>('POST', PATH, { body })
  return { status: answer.status, id: answer.body.data?.id ?? '' }
}

export async function approve(client: Client, request: string): Promise<number> {
  return (await client.send('PATCH', `${PATH}/${request}`, { body: { status: 'approved' } })).status
}

/** What the approvals of one request paid back, transfer by transfer. */
export async function refundsOf({ database }: RefundRace, request: string): Promise<unknown[]> {
  const rows = await database.sql(`SELECT amount FROM transfers WHERE kind = 'refund' AND ref = $1`, [
    request,
  ])
  return rows.map((row) => row['amount'])
}

/** Two approvals that go on only when both have come to the accounts, or one was refused: their statuses. */
export async function twoApprovals(race: RefundRace, request: string): Promise<number[]> {
  const { database, world, sides } = race
  const lock: [string, unknown[]] = [
    `SELECT 1 FROM accounts WHERE partner = $1 AND kind = 'vendor' FOR UPDATE`,
    [world.id('vendor')],
  ]
  const sent = await stalledBy(database, lock, async (untilWaiting) => {
    const approvals = sides.map((client) => approve(client, request))
    await untilWaiting(1)
    await Promise.race([untilWaiting(2), ...approvals])
    return { approvals }
  })
  return (await Promise.all(sent.approvals)).toSorted()
}
