import { afterAll, describe, expect, test } from 'vitest'
import { statements as tickets } from '../../src/inventory/tickets-rows.ts'
import { verify } from '../../src/main/verify/verify.ts'
import { statements as orders } from '../../src/orders/sold-orders-rows.ts'
import { statements as refunds } from '../../src/refunds/refunds-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import { cutFromStatements } from '../support/guards.ts'
import { importWorld } from '../support/makers.ts'
import { spawnService, startService } from '../support/service.ts'
import { approve, askFor, makeRefundRace, refundsOf, sellTwo, twoApprovals } from './refund-scenarios.ts'

const TIMES = 50
const SHARE = 14_250

describe('on two processes', async () => {
  const database = await createTestDatabase()
  const world = await importWorld(database)
  const spawnOne = async () =>
    (await spawnService({ DATABASE_URL: database.url, DEMO_CATALOG: 'off' })).base_url
  const race = makeRefundRace({ database, world }, [await spawnOne(), await spawnOne()])
  const sideOf = (index: number) => race.sides[index % 2 === 0 ? 0 : 1]

  afterAll(async () => expect(await verify(database.db)).toEqual([]))

  test(`one of ${TIMES} approvals pays back`, async () => {
    const { id } = await askFor(race.sides[0], await sellTwo(race))
    const statuses = await Promise.all(
      Array.from({ length: TIMES }, (_, index) => approve(sideOf(index), id)),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.every((status) => [200, 400, 409].includes(status))).toBe(true)
    expect(await refundsOf(race, id)).toEqual([SHARE])
  })

  test(`one of ${TIMES} requests for a ticket is made`, async () => {
    const body = await sellTwo(race)
    const asked = await Promise.all(Array.from({ length: TIMES }, (_, index) => askFor(sideOf(index), body)))
    expect(asked.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(asked.every(({ status }) => [200, 400, 409].includes(status))).toBe(true)
    expect(
      await database.sql('SELECT count(*) AS n FROM refund_requests WHERE "order" = $1', [body.order]),
    ).toEqual([{ n: 1 }])
  })

  test('an approval while another is under way is 409', async () => {
    const { id } = await askFor(race.sides[0], await sellTwo(race))
    expect(await twoApprovals(race, id)).toEqual([200, 409])
    expect(await refundsOf(race, id)).toEqual([SHARE])
  })
})

describe('without the guards of an approval', async () => {
  cutFromStatements(orders, {
    lock_order: ['FOR UPDATE OF o SKIP LOCKED'],
    take_out_tickets: ['AND o.tickets @> $3::text[]'],
  })
  cutFromStatements(tickets, {
    lock_sold: ['FOR UPDATE'],
    return_tickets: [`AND t.status = 'sold' AND t."order" = u."order"`],
  })
  cutFromStatements(refunds, { finish_request: [`AND r.status IN ('new', 'in_progress')`] })
  const database = await createTestDatabase()
  const world = await importWorld(database)
  await database.sql('ALTER TABLE transfers DROP CONSTRAINT transfers_once')
  const services = [await startService({ database }), await startService({ database })] as const
  const race = makeRefundRace({ database, world }, [services[0].base_url, services[1].base_url])

  test('the money is paid back twice', async () => {
    const { id } = await askFor(race.sides[0], await sellTwo(race))
    expect(await twoApprovals(race, id)).toEqual([200, 200])
    expect(await refundsOf(race, id)).toEqual([SHARE, SHARE])
    expect((await verify(database.db)).map(({ invariant }) => invariant)).toEqual([
      'set-counts',
      'refund-transfer',
    ])
  })
})
