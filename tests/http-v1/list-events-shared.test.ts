import { describe, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { makeSet, importWorld } from '../support/makers.ts'
import { openOrderWorld } from '../support/order-world.ts'
import { stalledBy } from '../support/stall.ts'
import { waitUntil } from '../support/wait.ts'
import { days, listingCatalog } from './listing-world.ts'

type SetBody = { price: string; price_extra: string; amount_vacant: number }
type EventBody = {
  id: string
  title: { text: string }
  tickets_amount_vacant: number
  deal: object | null
  partner: { id: string }
  sets: SetBody[]
}

/** More than a page is written in a row for everybody who asks. */
const OFTEN = 30
/** How old a page may be. */
const OLDEST_MS = 1000

const PATH = '/v1/services/simple/events'
const world = await openOrderWorld({ document: listingCatalog({ sets: [makeSet('standing')] }) })
const id = (ref: string) => world.id(ref)
const ids = (...refs: string[]) => refs.map(id)
const vendor = world.client('vendor')

async function list(query = '', client: Client = vendor): Promise<EventBody[]> {
  const { status, body } = await client.get<EventBody[]>(`${PATH}${query}`)
  expect(status).toBe(200)
  return body
}

async function listOften(query: string, client?: Client): Promise<void> {
  for (let asked = 0; asked < OFTEN; asked++) await list(query, client)
}

const listIds = async (query: string, client?: Client) => (await list(query, client)).map((event) => event.id)

async function vacantOf(ref: string, query: string): Promise<number> {
  const { tickets_amount_vacant, sets } = (await list(query)).find((event) => event.id === id(ref))!
  expect(sets.reduce((sum, set) => sum + set.amount_vacant, 0)).toBe(tickets_amount_vacant)
  return tickets_amount_vacant
}

const sellOne = () => vendor.createOrder({ event: id('festival'), random: { [id('standing')]: 1 } })

describe('a page', () => {
  test('is written for everybody who asks for it now and then, and is exact', async () => {
    const before = await vacantOf('festival', '?page_size=11')
    for (let sold = 1; sold <= 5; sold++) {
      await sellOne()
      expect(await vacantOf('festival', '?page_size=11')).toBe(before - sold)
    }
  })

  test('that is asked for often is shared, and shows nothing that ended longer than a second ago', async () => {
    const query = '?page_size=12'
    const first = await vacantOf('festival', query)
    await listOften(query)
    // When each number of vacant tickets was replaced by the next: an answer may not show one that was replaced long ago.
    const replaced_at = new Map<number, number>()
    let vacant = first
    let older = 0
    for (let sold = 0; sold < 20; sold++) {
      await sellOne()
      replaced_at.set(vacant--, performance.now())
      for (let asked = 0; asked < 3; asked++) {
        const asked_at = performance.now()
        const shown = await vacantOf('festival', query)
        if (shown !== vacant) older++
        expect(asked_at - (replaced_at.get(shown) ?? asked_at)).toBeLessThan(OLDEST_MS)
      }
    }
    expect(older).toBeGreaterThan(0)
    await waitUntil(async () => (await vacantOf('festival', query)) === vacant, { timeout_ms: OLDEST_MS })
  })

  test('is written once for those who ask at the same time, however they write the same question', async () => {
    const same = [
      '?status=public,stand_by&page_size=50',
      '?status=stand_by,public',
      '?status=stand_by&status=public&page=1',
      '?status=public,stand_by,public&some_filter_of_another_version=1',
    ]
    const other = '?status=public,stand_by&page_size=49'
    const countWaiting = async () => {
      const [row] = await world.database.sql(
        `SELECT count(*)::integer AS n FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      return row?.['n']
    }
    const answers = await stalledBy(
      world.database,
      ['LOCK TABLE set_counts IN ACCESS EXCLUSIVE MODE', []],
      async (untilWaiting) => {
        const asked = [...same, ...same, ...same].map((query) => list(query))
        await untilWaiting(1)
        const asked_other = list(other)
        await untilWaiting(2)
        expect(await countWaiting()).toBe(2)
        return { asked, asked_other }
      },
    )
    const expected = await answers.asked_other
    expect(expected.map((event) => event.id)).toEqual(ids('concert', 'club', 'own', 'festival'))
    for (const page of await Promise.all(answers.asked)) expect(page).toEqual(expected)
  })

  test('is the same in gzip and as it is', async () => {
    const in_encoding = (coding: string) =>
      vendor.get<EventBody[]>(`${PATH}?page_size=13`, { 'accept-encoding': coding })
    const gzip = await in_encoding('gzip')
    const identity = await in_encoding('identity')
    expect([gzip, identity].map(({ headers }) => headers.get('content-encoding'))).toEqual(['gzip', null])
    expect([gzip, identity].map(({ headers }) => headers.get('vary'))).toEqual(
      Array(2).fill('accept-encoding'),
    )
    expect(gzip.body).toEqual(identity.body)
    expect(gzip.body).toHaveLength(5)
  })
})

describe('who asks often sees no page of another', () => {
  const EXPECTED: Record<string, readonly string[]> = {
    vendor: ['concert', 'club', 'own', 'theatre', 'festival'],
    two_events: ['club', 'theatre'],
    org: ['concert', 'theatre', 'festival'],
    other_org: ['club', 'closed_club'],
    poor: [],
    stranger: [],
  }

  test('neither that of another partner nor that of another key of the same partner', async () => {
    const query = '?page_size=21'
    for (let asked = 0; asked < OFTEN; asked++) {
      const pages = await Promise.all(
        Object.keys(EXPECTED).map(async (key) => [key, await listIds(query, world.client(key))] as const),
      )
      for (const [key, page] of pages) expect(page.toSorted()).toEqual(ids(...EXPECTED[key]!).toSorted())
    }
  })

  test('nor the terms of another', async () => {
    const query = `?org=${id('org')}&page_size=22`
    const clients = ['vendor', 'org'].map((key) => [id(key), world.client(key)] as const)
    for (let asked = 0; asked < OFTEN; asked++)
      for (const [partner, client] of clients)
        for (const event of await list(query, client)) {
          expect(event.partner.id).toBe(partner)
          const is_own = partner === id('org')
          expect([event.deal === null, event.sets[0]!.price_extra === '0.00']).toEqual([is_own, is_own])
        }
  })
})

describe('who asks often sees within a second', () => {
  test('that a deal has ended', async () => {
    const query = '?page_size=31'
    await listOften(query)
    const [deal] = await world.database.sql(
      `UPDATE deals SET finish = date_trunc('milliseconds', clock_timestamp() + interval '300 ms')
       WHERE org = $1 AND vendor = $2 RETURNING finish`,
      [id('other_org'), id('vendor')],
    )
    const finish = Number(deal!['finish'])
    let ended = false
    while (!ended) {
      const asked_at = Date.now()
      ended = !(await listIds(query)).includes(id('club'))
      if (ended) expect(Date.now()).toBeGreaterThanOrEqual(finish)
      else expect(asked_at - finish).toBeLessThan(OLDEST_MS)
    }
  })

  test('that a price has come into force', async () => {
    const query = `?org=${id('vendor')}&page_size=33`
    const from = Date.now() + 800
    const rule = {
      lifetime: { start: new Date(from).toISOString(), finish: '2099-01-01T00:00:00Z' },
      price: '7.00',
    }
    const document = listingCatalog({ sets: [makeSet('standing')] }) as {
      events: { ref: string; sets: object[] }[]
    }
    const own = document.events.find((event) => event.ref === 'own')!
    own.sets = [{ ...own.sets[0], rules: [rule] }]
    await importWorld(world.database, document)
    const imported_at = Date.now()
    await listOften(query)
    let seen = false
    while (!seen) {
      const asked_at = Date.now()
      seen = (await list(query))[0]!.sets[0]!.price === '7.00'
      if (seen) expect(Date.now()).toBeGreaterThanOrEqual(from)
      else expect(asked_at - Math.max(from, imported_at)).toBeLessThan(OLDEST_MS)
    }
  })

  test('what an import has changed, added and moved', async () => {
    const query = `?org=${id('org')}&page_size=32`
    await listOften(query)
    await importWorld(
      world.database,
      listingCatalog({
        title: { text: 'Festival' },
        sets: [makeSet('standing', { amount: 150 }), makeSet('balcony')],
        lifetime: days(1, 2),
      }),
    )
    const imported_at = performance.now()
    let seen = false
    while (!seen) {
      const asked_at = performance.now()
      const [first] = await list(query)
      seen = first!.id === id('festival') && first!.title.text === 'Festival' && first!.sets.length === 2
      if (!seen) expect(asked_at - imported_at).toBeLessThan(OLDEST_MS)
    }
  })
})
