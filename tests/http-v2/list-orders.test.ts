import { beforeAll, describe, expect, test } from 'vitest'
import { newId, shardOf } from '../../src/kernel/ids.ts'
import type { Answer, Client, OrderBody, OrderData } from '../support/client.ts'
import { openOrderWorld } from '../support/order-world.ts'
import { startService } from '../support/service.ts'
import { createClient } from '../support/client.ts'

/** GET /v2/resources/orders (decisions, 5). */
type Page = {
  data: OrderData[]
  pagination: { page: number; page_size: number; total: number }
  total_count: number
  refs: OrderBody['refs']
}

const ORDERS = '/v2/resources/orders'
const world = await openOrderWorld()
const { id, database } = world
const vendor = world.client('vendor')

const list = (client: Client, query = ''): Promise<Answer<Page>> => client.get<Page>(`${ORDERS}?${query}`)

async function idsOf(client: Client, query = ''): Promise<string[]> {
  const { status, body } = await list(client, query)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data.map((order) => order.id)
}

async function create(client: Client, event: string, body: object = {}): Promise<OrderData> {
  const answer = await client.createOrder({ event: id(event), ...body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body.data
}

/**
 * Cancelled orders of a vendor of the event, one in each second before `until` (epoch seconds), newest first; those whose number
 * divides by `with_customer` have one.
 */
async function plant(
  ref: string,
  {
    vendor: by,
    until,
    count,
    with_customer = count + 1,
  }: {
    vendor: string
    until: number
    count: number
    with_customer?: number
  },
): Promise<string[]> {
  const event = id(ref)
  const ids = Array.from({ length: count }, (_, index) => newId(shardOf(event), (until - index) * 1000))
  await database.sql(
    `INSERT INTO orders (shard, id, event, number, org, vendor, origin, status, deal, org_share, extra_share, currency,
                         expired_after, settings)
     SELECT e.shard, u.id, e.id, nextval('order_number'), e.org, $3, 'api', 'cancelled',
            (SELECT min(d.id) FROM deals d WHERE d.org = e.org AND d.vendor = $3), 950000, 40000, e.currency,
            to_timestamp($4::integer), CASE WHEN u.n % $5 = 0 THEN '{"customer": {"name": "Анна"}}'::jsonb ELSE '{}' END
     FROM events e, unnest($2::text[]) WITH ORDINALITY AS u(id, n)
     WHERE e.id = $1`,
    [event, ids, id(by), until, with_customer],
  )
  return ids
}

describe('one page', () => {
  let first: OrderData
  let done: OrderData
  let other: OrderData
  let by_poor: OrderData
  beforeAll(async () => {
    first = await create(vendor, 'event', { random: { [id('standing')]: 2 } })
    done = await create(vendor, 'event', { tickets: [world.seats[0]], status: 'done' })
    other = await create(vendor, 'other_event')
    by_poor = await create(world.client('poor'), 'event')
  })

  test('each order is shown as it is read alone, and refs are those of all', async () => {
    const { status, body } = await list(vendor)
    expect(status).toBe(200)
    expect(body.pagination).toEqual({ page: 1, page_size: 50, total: 1 })
    expect(body.total_count).toBe(3)
    const alone = await Promise.all(
      [first, done, other].map(async (order) => (await vendor.getOrder(order.id)).body),
    )
    const byId = (a: OrderData, b: OrderData) => (a.id < b.id ? 1 : -1)
    expect(body.data).toEqual(alone.map(({ data }) => data).toSorted(byId))
    for (const name of ['events', 'partners', 'promocodes', 'sets', 'venues'])
      expect(body.refs[name], name).toEqual(Object.assign({}, ...alone.map(({ refs }) => refs[name])))
    expect(Object.keys(body.refs['events'] ?? {})).toHaveLength(2)
    expect(Object.keys(body.refs['partners'] ?? {})).toHaveLength(3)
    expect(Object.keys(body.refs['sets'] ?? {})).toHaveLength(2)
  })

  test('a vendor sees what it sold, an organizer also what others sold of its events, nobody else anything', async () => {
    const own = await create(world.client('org'), 'event')
    expect(new Set(await idsOf(vendor))).toEqual(new Set([first.id, done.id, other.id]))
    expect(await idsOf(world.client('poor'))).toEqual([by_poor.id])
    expect(new Set(await idsOf(world.client('org')))).toEqual(
      new Set([first.id, done.id, by_poor.id, own.id]),
    )
    expect((await list(world.client('org'))).body.total_count).toBe(4)
    expect(await idsOf(world.client('other_org'))).toEqual([other.id])
    expect((await list(world.client('stranger'))).body).toEqual({
      data: [],
      pagination: { page: 1, page_size: 50, total: 0 },
      total_count: 0,
      refs: { events: {}, partners: {}, promocodes: {}, sets: {}, venues: {} },
    })
  })

  test('a key for some events sees only those', async () => {
    const one_event = world.client('one_event')
    expect(new Set(await idsOf(one_event))).toEqual(new Set([first.id, done.id]))
    expect(await idsOf(one_event, `events=${id('other_event')}`)).toEqual([])
    expect((await list(one_event, `events=${id('event')},${id('other_event')}`)).body.total_count).toBe(2)
  })

  test.each([
    ['status=done', () => [done.id]],
    ['status=executed', () => [first.id, other.id]],
    ['status=executed,done', () => [first.id, done.id, other.id]],
    ['status=executed&status=done', () => [first.id, done.id, other.id]],
    ['status=in_progress', () => []],
    [`events=${id('other_event')}`, () => [other.id]],
    [`events=${id('event')}&events=${id('other_event')}`, () => [first.id, done.id, other.id]],
    [`events=${id('event')}&status=done`, () => [done.id]],
    [`events=${'0'.repeat(24)}`, () => []],
    ['only_with_customer=false', () => [first.id, done.id, other.id]],
    ['status=&events=&created_at=', () => [first.id, done.id, other.id]],
  ])('%s', async (query, expected) => {
    const { body } = await list(vendor, query)
    expect(new Set(body.data.map((order) => order.id))).toEqual(new Set(expected()))
    expect(body.total_count).toBe(expected().length)
  })

  test('an unpaid order whose time is over is listed as expired', async () => {
    const order = await create(vendor, 'event')
    await database.sql('UPDATE orders SET expired_after = $2 WHERE id = $1', [
      order.id,
      new Date(Date.now() - 1000),
    ])
    expect(await idsOf(vendor, 'status=executed')).not.toContain(order.id)
    const { data, total_count } = (await list(vendor, 'status=expired')).body
    expect(data.map(({ id: found, status }) => [found, status])).toEqual([[order.id, 'expired']])
    expect(total_count).toBe(1)
  })

  test('only_with_customer', async () => {
    const [with_customer, , also] = await plant('event', {
      vendor: 'vendor',
      until: 1_500_000_000,
      count: 4,
      with_customer: 2,
    }).then((ids) => [ids[1], ids[0], ids[3]])
    expect(await idsOf(vendor, 'only_with_customer=true')).toEqual([with_customer, also])
    expect(await idsOf(vendor, `only_with_customer=true&events=${id('event')}`)).toEqual([
      with_customer,
      also,
    ])
    const { body } = await list(vendor, 'only_with_customer=true&status=cancelled,done')
    expect(body.total_count).toBe(2)
    expect(body.data[0]).toMatchObject({ settings: { customer: { name: 'Анна' } } })
  })
})

describe('created_at', () => {
  // 2001-09-09 01:46:40 and the two seconds before.
  const AT = 1_000_000_000
  let ids: string[]
  beforeAll(async () => {
    ids = await plant('other_event', { vendor: 'vendor', until: AT, count: 3 })
  })

  test.each([
    ['2001-09-09T01:46:38Z,2001-09-09T01:46:40Z', [0, 1, 2]],
    ['2001-09-09 01:46:39,2001-09-09 01:46:39', [1]],
    ['2001-09-09T01:46:38.001Z,2001-09-09T01:46:39.999Z', [1]],
    ['20010909T044639+03,2001-09-09', []],
    ['2001-09-09T04:46:39+03:00,2001-09-10', [0, 1]],
    [',2001-09-09T01:46:38.500', [2]],
    ['0100-01-01,2001-09-09T01:46:38', [2]],
    ['2200-01-01,', []],
    [',1969-12-31', []],
  ])('%s', async (range, expected) => {
    for (const filters of [`events=${id('other_event')}`, 'only_with_customer=false']) {
      const { body } = await list(vendor, `created_at=${encodeURIComponent(range)}&${filters}`)
      expect(body.data.map((order) => order.id)).toEqual(expected.map((index) => ids[index]))
      expect(body.total_count).toBe(expected.length)
    }
  })

  test('the lower side alone', async () => {
    const found = await idsOf(vendor, 'created_at=2001-09-09T01:46:39Z,&page_size=200')
    expect(found).toEqual(expect.arrayContaining(ids.slice(0, 2)))
    expect(found).not.toContain(ids[2])
  })
})

describe('what is refused', () => {
  test.each([
    ['page=0', 'page must be an integer from 1 to 1000000000'],
    ['page=one', 'page must be an integer from 1 to 1000000000'],
    ['page=1&page=2', 'page must be given once'],
    ['page_size=201', 'page_size must be an integer from 1 to 200'],
    ['page_size=0', 'page_size must be an integer from 1 to 200'],
    ['status=paid', 'status must be one of executed, in_progress, done, cancelled, expired'],
    ['events=1', 'events must be ids of 24 lower-case hex digits'],
    ['created_at=2026-01-01', 'created_at must be from,to'],
    ['created_at=yesterday,', 'created_at must be from,to of ISO 8601 date-times'],
    ['only_with_customer=maybe', 'only_with_customer must be true or false'],
    ...['limit=5', 'Page=1', '__proto__=1', 'org='].map((query) => [
      query,
      `${query.split('=')[0]} is not a parameter of this list; ` +
        'it takes created_at, status, events, only_with_customer, page, page_size',
    ]),
  ])('%s', async (query, error) => {
    const { status, body } = await list(vendor, query)
    expect([status, body]).toEqual([400, { errors: [error] }])
  })

  test('a key that may not touch orders', async () => {
    expect((await list(world.client('no_orders'))).status).toBe(403)
  })
})

describe('paging', () => {
  const COUNT = 23
  const filters = `created_at=,2010-01-01&events=${id('closed_event')}`
  let ids: string[]
  beforeAll(async () => {
    ids = await plant('closed_event', { vendor: 'vendor', until: 1_200_000_000, count: COUNT })
  })

  test.each(['in order', 'backwards', 'alone'])('pages read %s have each order once', async (how) => {
    const client = world.client(how === 'alone' ? 'salespoint' : 'vendor')
    const pages = how === 'backwards' ? [5, 4, 3, 2, 1] : how === 'alone' ? [4] : [1, 2, 3, 4, 5]
    for (const page of pages) {
      const { body } = await list(client, `${filters}&page_size=5&page=${page}`)
      expect(body.data.map((order) => order.id)).toEqual(ids.slice((page - 1) * 5, page * 5))
      expect(body.pagination).toEqual({ page, page_size: 5, total: 5 })
      expect(body.total_count).toBe(COUNT)
    }
  })

  test.each([6, 7, 1_000_000_000])('page %i, past the last, is empty', async (page) => {
    const { status, body } = await list(vendor, `${filters}&page_size=5&page=${page}`)
    expect([status, body.data, body.total_count]).toEqual([200, [], COUNT])
    expect(body.refs).toEqual({ events: {}, partners: {}, promocodes: {}, sets: {}, venues: {} })
  })

  test('a page that is full is the last when nothing follows', async () => {
    const { body } = await list(vendor, `${filters}&page_size=${COUNT}`)
    expect([body.data.length, body.pagination.total]).toEqual([COUNT, 1])
  })
})

describe('statuses, several orders in one second', () => {
  // 2011-03-13 07:06:40 and the seconds before.
  const AT = 1_300_000_000
  const IN_A_SECOND = 12
  const COUNT = 72
  const DAY_MS = 86_400_000
  const range = 'created_at=2011-03-13T07:06:00Z,2011-03-13T07:06:40Z'

  /** As they are stored, whether their time is over, and as they are shown. */
  const KINDS = [
    ['executed', false, 'executed'],
    ['executed', true, 'expired'],
    ['in_progress', false, 'in_progress'],
    ['in_progress', true, 'expired'],
    ['expired', true, 'expired'],
    ['cancelled', true, 'cancelled'],
    ['cancelled', false, 'cancelled'],
  ] as const
  const VENDORS = ['vendor', 'org', 'poor'] as const

  type Planted = { id: string; vendor: string; status: string; has_customer: boolean }
  let planted: Planted[]

  beforeAll(async () => {
    const event = id('partly_closed_event')
    const rows = Array.from({ length: COUNT }, (_, index) => {
      const [stored, is_over, status] = KINDS[index % KINDS.length]!
      return {
        id: newId(shardOf(event), (AT - Math.floor(index / IN_A_SECOND)) * 1000),
        vendor: VENDORS[index % VENDORS.length]!,
        stored,
        till: new Date(Date.now() + (is_over ? -DAY_MS : DAY_MS)).toISOString(),
        status,
        has_customer: index % 5 === 0,
      }
    })
    await database.sql(
      `INSERT INTO orders (shard, id, event, number, org, vendor, origin, status, deal, org_share, extra_share, currency,
                           expired_after, payment_till, settings)
       SELECT e.shard, u.id, e.id, nextval('order_number'), e.org, u.vendor, 'api', u.status,
              (SELECT min(d.id) FROM deals d WHERE d.org = e.org AND d.vendor = u.vendor), 950000,
              CASE WHEN u.vendor = e.org THEN 0 ELSE 40000 END, e.currency,
              u.till, CASE WHEN u.status = 'in_progress' THEN u.till END,
              CASE WHEN u.has_customer THEN '{"customer": {"name": "Анна"}}'::jsonb ELSE '{}' END
       FROM events e,
            unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::boolean[])
              AS u(id, vendor, status, till, has_customer)
       WHERE e.id = $1`,
      [
        event,
        rows.map((row) => row.id),
        rows.map((row) => id(row.vendor)),
        rows.map((row) => row.stored),
        rows.map((row) => row.till),
        rows.map((row) => row.has_customer),
      ],
    )
    await database.sql(
      `INSERT INTO payments (shard, id, "order", event, status, tickets, created_at)
       SELECT shard, id, id, event, 'pending', '[]', now() FROM orders WHERE status = 'in_progress' AND event = $1`,
      [event],
    )
    planted = rows.toSorted((a, b) => (a.id < b.id ? 1 : -1))
  })

  const QUERIES: [statuses: string, only_with_customer: boolean][] = [
    ['', false],
    ['executed', false],
    ['in_progress', false],
    ['cancelled', false],
    ['expired', false],
    ['done', false],
    ['executed,in_progress', false],
    ['cancelled,expired', false],
    ['expired,executed', false],
    ['done,in_progress,cancelled', false],
    ['', true],
    ['cancelled', true],
    ['expired', true],
    ['executed,expired', true],
  ]

  const readers = ['vendor', 'org'] as const
  test.each(readers.flatMap((reader) => QUERIES.map((query) => [reader, ...query] as const)))(
    '%s: status=%s, only_with_customer=%s: its orders alone, in order, page by page and at once',
    async (reader, statuses, only_with_customer) => {
      const expected = planted
        .filter((order) => reader === 'org' || order.vendor === reader)
        .filter((order) => statuses === '' || statuses.split(',').includes(order.status))
        .filter((order) => order.has_customer || !only_with_customer)
        .map((order) => `${order.id} ${order.status}`)
      const query = `${range}&status=${statuses}&only_with_customer=${only_with_customer}`
      const client = world.client(reader)
      const read = async (page: number, page_size: number) => {
        const { body } = await list(client, `${query}&page_size=${page_size}&page=${page}`)
        expect(body.total_count).toBe(expected.length)
        return body.data.map((order) => `${order.id} ${order.status}`)
      }
      expect(await read(1, 200)).toEqual(expected)
      for (const page_size of [5, 7])
        for (let page = 1; page <= Math.ceil(expected.length / page_size) + 1; page++)
          expect(await read(page, page_size)).toEqual(
            expected.slice((page - 1) * page_size, page * page_size),
          )
      // A page whose predecessors were not read is counted from the top.
      expect(await read(3, 4)).toEqual(expected.slice(8, 12))
    },
  )
})

describe('paging while orders are created', () => {
  const COUNT = 40

  /** Reads all pages, creating orders before each next one; `read` reads a page. */
  async function readAll(
    read: (page: number) => Promise<Page>,
  ): Promise<{ seen: string[]; totals: number[] }> {
    const seen: string[] = []
    const totals: number[] = []
    for (let page = 1; ; page++) {
      const { data, pagination, total_count } = await read(page)
      seen.push(...data.map((order) => order.id))
      totals.push(total_count)
      if (page >= pagination.total) return { seen, totals }
      await Promise.all([create(vendor, 'event'), create(vendor, 'other_event'), create(vendor, 'event')])
    }
  }

  test.each([
    ['all', ''],
    ['by status', 'status=executed'],
    ['of events', () => `events=${id('event')},${id('other_event')}`],
  ])('%s: every order that was there comes once, by any process', async (_what, query) => {
    await Promise.all(Array.from({ length: COUNT }, () => create(vendor, 'event')))
    const filters = typeof query === 'string' ? query : query()
    const before = await readWhole(filters)
    const second = await startService({ database, parts: ['api'] })
    const clients = [vendor, createClient(second.base_url, world.key('vendor'))]
    const { seen, totals } = await readAll(async (page) => {
      const client = clients[page % 2] as Client
      return (await list(client, `${filters}&page_size=7&page=${page}`)).body
    })
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual(expect.arrayContaining(before))
    // A total grows by the orders created meanwhile that still came: those of a second that was being read, and no others.
    const late = seen.filter((order) => !before.includes(order))
    expect(Math.max(...totals) - Math.min(...totals)).toBeLessThanOrEqual(late.length)
    expect(totals.at(-1)).toBe(seen.length)
    expect(await idsOf(vendor, 'page_size=1')).not.toEqual(seen.slice(0, 1))
  })

  test('orders that are created all the time', async () => {
    const reading = new AbortController()
    const selling = (async () => {
      while (!reading.signal.aborted) await create(vendor, 'other_event')
    })()
    const { seen } = await readAll(
      async (page) => (await list(vendor, `page_size=9&page=${page}`)).body,
    ).finally(() => reading.abort())
    await selling
    expect(new Set(seen).size).toBe(seen.length)
  })

  test('orders that come to the filter while it is read move nothing', async () => {
    const open = await Promise.all(Array.from({ length: 12 }, () => create(vendor, 'event')))
    const filters = 'status=cancelled&page_size=5'
    const seen = await idsOf(vendor, `${filters}&page=1`)
    for (const order of open) await vendor.changeOrder(order.id, { status: 'cancelled' })
    seen.push(...(await idsOf(vendor, `${filters}&page=2`)))
    seen.push(...(await idsOf(vendor, `${filters}&page=3`)))
    expect(new Set(seen).size).toBe(15)
  })

  test('without the memory the same reading shows orders again', async () => {
    const seen: string[] = []
    for (let page = 1; page <= 4; page++) {
      seen.push(...(await idsOf(vendor, `page_size=6&page=${page}`)))
      // Its shard is the higher one, so it comes on top of what was created in the same second.
      await create(vendor, 'other_event')
      await database.sql('DELETE FROM list_pages')
    }
    expect(new Set(seen).size).toBeLessThan(seen.length)
  })

  test('what a key has read is forgotten after an hour, and beyond 1,000 pages', async () => {
    await database.sql('DELETE FROM list_pages')
    await database.sql(
      `INSERT INTO list_pages (api_key, list, page, last, total, read_at)
       SELECT k.id, '\\x00', n, '', 0,
              now() - CASE WHEN n <= 50 THEN interval '61 minutes' ELSE n * interval '1 second' END
       FROM api_keys k, generate_series(1, 1070) n WHERE k.name = 'vendor'`,
    )
    const left = async () => Number((await database.sql('SELECT count(*) AS n FROM list_pages'))[0]?.['n'])
    await idsOf(vendor, 'page_size=1&page=1')
    expect(await left()).toBe(1000)
    const whole = await list(vendor, `events=${'0'.repeat(24)}`)
    expect([whole.body.total_count, await left()]).toEqual([0, 1000])
  })

  async function readWhole(filters: string): Promise<string[]> {
    const { body } = await list(world.client('salespoint'), `${filters}&page_size=200`)
    const rest =
      body.pagination.total > 1
        ? await idsOf(world.client('salespoint'), `${filters}&page_size=200&page=2`)
        : []
    return [...body.data.map((order) => order.id), ...rest]
  }
})
