import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { pino } from 'pino'
import PostalMime from 'postal-mime'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { newId, NO_SHARD, shardOf } from '../../src/kernel/ids.ts'
import { startForgettingExports } from '../../src/orders/export/exports.ts'
import { createMakeExport, type MakeExportOptions } from '../../src/orders/export/make-export.ts'
import { MailError, type Mail } from '../../src/platform/mail/mailer.ts'
import { createClient } from '../support/client.ts'
import { makeCatalog } from '../support/makers.ts'
import { openOrderWorld } from '../support/order-world.ts'
import { startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

const data_dir = await mkdtemp(join(tmpdir(), 'parterre-export-'))
afterAll(() => rm(data_dir, { recursive: true }))
const world = await openOrderWorld({ document: makeCatalog() })
const { database, id } = world
const { sql } = database
const { base_url } = await startService({ database, config: { data_dir } })
const client = (name: string) => createClient(base_url, world.key(name))
const vendor = client('vendor')
const EXPORT = '/v2/resources/orders/export'
const email = 'buh@example.org'

type ExportBody = { data: { id: string; status: string; orders_done: number; orders_total: number } }
type Table = Record<string, string>[]

async function exportOrders(body: object, by = vendor) {
  const answer = await by.send('POST', EXPORT, { body })
  expect(answer).toMatchObject({ status: 200, body: '' })
  const path = answer.headers.get('location') ?? ''
  expect(path).toMatch(/^\/v2\/resources\/orders\/export\/[0-9a-f]{24}$/)
  const { data } = await waitUntil(
    async () => {
      const { body: found } = await by.get<ExportBody>(path)
      return ['done', 'failed'].includes(found.data.status) ? found : undefined
    },
    { timeout_ms: 20_000 },
  )
  return data
}

async function mailOf(export_id: string) {
  const mail = await PostalMime.parse(await readFile(join(data_dir, 'outbox', `export-${export_id}.eml`)))
  const files = new Map(
    mail.attachments.map(({ filename, content }) => [filename, Buffer.from(content as ArrayBuffer)]),
  )
  return { mail, xlsx: files.get('orders.xlsx'), csv: files.get('orders.csv') }
}

/** Of what the export writes: quotes, no line ends in cells. */
function readCsv(bytes: Buffer): Table {
  const text = bytes.toString()
  expect(text.startsWith('\ufeff')).toBe(true)
  const cells = (line: string) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
      ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
    )
  return toTable(text.slice(1).trimEnd().split('\r\n').map(cells))
}

function toTable([titles = [], ...rows]: string[][]): Table {
  return rows.map((row) => Object.fromEntries(titles.map((title, index) => [title, row[index] ?? ''])))
}

/** By the directory at the end, as programs do. */
function unzip(bytes: Buffer): Map<string, string> {
  const end = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  let at = bytes.readUInt32LE(end + 16)
  return new Map(
    Array.from({ length: bytes.readUInt16LE(end + 10) }, () => {
      const [packed, name_length] = [bytes.readUInt32LE(at + 20), bytes.readUInt16LE(at + 28)]
      const name = bytes.toString('utf8', at + 46, at + 46 + name_length)
      const content = bytes.readUInt32LE(at + 42) + 30 + name_length
      at += 46 + name_length
      return [name, inflateRawSync(bytes.subarray(content, content + packed)).toString()] as const
    }),
  )
}

function sheetOf(bytes: Buffer): string {
  return unzip(bytes).get('xl/worksheets/sheet1.xml') ?? ''
}

function readXlsx(bytes: Buffer): Table {
  const rows = [...sheetOf(bytes).matchAll(/<row>(.*?)<\/row>/gs)].map(([, row]) =>
    [...row!.matchAll(/<c[^>]*?(?:\/>|>(.*?)<\/c>)/gs)].map(([, cell = '']) =>
      cell
        .replaceAll(/<[^>]+>/g, '')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&'),
    ),
  )
  return toTable(rows)
}

describe('the files', () => {
  test('have a row for each ticket, in the time of the venue, with formulas defused and Russian intact', async () => {
    const name = '=HYPERLINK("http://evil.example","Анна & <Пётр>")'
    const { body } = await vendor.createOrder({
      event: id('event'),
      tickets: [world.seats[0]],
      settings: { customer: { name, email: 'anna@example.org', phone: '+79990001122' } },
      vendor_data: { order_id: '@SUM(A1)_x0041_' },
      status: 'done',
    })
    const { body: pair } = await vendor.createOrder({ event: id('event'), random: { [id('standing')]: 2 } })
    const { body: empty } = await vendor.createOrder({ event: id('other_event') })
    const done = await exportOrders({ email })
    expect(done).toMatchObject({ status: 'done', orders_done: 3, orders_total: 3 })
    const { mail, xlsx, csv } = await mailOf(done.id)
    expect(mail.to).toEqual([expect.objectContaining({ address: email })])
    const [in_csv, in_xlsx] = [readCsv(csv!), readXlsx(xlsx!)]
    const of = (rows: Table, order: string) => rows.filter((row) => row['Order id'] === order)
    expect(in_xlsx.map((row) => row['Order id']).toSorted()).toEqual(
      [body.data.id, pair.data.id, pair.data.id, empty.data.id].toSorted(),
    )
    expect(of(in_csv, empty.data.id)).toMatchObject([{ Ticket: '', Price: '', Event: 'Event other_event' }])
    const { data } = body
    const [sold] = of(in_xlsx, data.id)
    const inZone = (utc: string) =>
      new Date(`${utc.replace(' ', 'T')}Z`).toLocaleString('sv-SE', { timeZone: sold!['Time zone'] })
    const [ticket] = data.tickets
    const expected = {
      'Order number': String(data.number),
      'Order code': data.code,
      Status: 'done',
      Created: inZone(data.created_at),
      Completed: inZone(data.done_at!),
      Event: 'Event event',
      Category: 'Seats',
      Row: ticket!.seat!.row,
      Seat: ticket!.seat!.number,
      Ticket: `${ticket!.serial}-${ticket!.number}`,
      Barcode: ticket!.barcode,
      Price: '500.00',
      Discount: '0.00',
      Nominal: '500.00',
      Extra: '20.00',
      Full: '520.00',
      "Organizer's share": '475.00',
      Vendor: 'Partner vendor',
      'E-mail': 'anna@example.org',
    }
    expect(sold!['Time zone']).not.toBe('UTC')
    expect(sold).toMatchObject({
      ...expected,
      Customer: name,
      Phone: '+79990001122',
      "Vendor's order id": '@SUM(A1)_x005F_x0041_',
    })
    expect(of(in_csv, data.id)).toMatchObject([
      { ...expected, Customer: `'${name}`, Phone: "'+79990001122", "Vendor's order id": "'@SUM(A1)_x0041_" },
    ])
    expect(sheetOf(xlsx!)).not.toContain('<f>')
    expect(await readdir(join(data_dir, 'exports'))).toEqual([])
  })

  test.each([
    [
      'in the body',
      (event: string) => ['', { events: [event], status: ['done', 'executed'], email }] as const,
    ],
    [
      'in the query',
      (event: string) => [`?events=${event}&status=done,executed&email=${email}`, undefined] as const,
    ],
    [
      'in both',
      (event: string) =>
        [`?events=${event}`, { status: 'done,executed', only_with_customer: false, email }] as const,
    ],
  ])('are of the orders that the filters %s select', async (_where, fields) => {
    const order = (await vendor.createOrder({ event: id('other_event') })).body.data
    const cancelled = (await vendor.createOrder({ event: id('other_event') })).body.data
    await vendor.changeOrder(cancelled.id, { status: 'cancelled' })
    const [query, body] = fields(id('other_event'))
    const { headers } = await vendor.send('POST', EXPORT + query, body && { body })
    const export_id = headers.get('location')!.split('/').at(-1)!
    const { csv } = await waitUntil(() => mailOf(export_id).catch(() => undefined), { timeout_ms: 20_000 })
    const rows = readCsv(csv!)
    expect(rows.map((row) => row['Order id'])).toContain(order.id)
    expect(rows.map((row) => row['Order id'])).not.toContain(cancelled.id)
    expect(new Set(rows.map((row) => row['Event']))).toEqual(new Set(['Event other_event']))
  })
})

test('the export is seen by the partner that asked alone', async () => {
  const { id: export_id } = await exportOrders({ email })
  expect((await vendor.get(`${EXPORT}/${export_id}`)).status).toBe(200)
  for (const [by, path] of [
    [client('org'), export_id],
    [vendor, '0'.repeat(24)],
    [vendor, 'nonsense'],
  ] as const)
    expect(await by.get(`${EXPORT}/${path}`)).toMatchObject({
      status: 404,
      body: { errors: ['Export not found'] },
    })
})

test.each([
  [{}, 'email is required'],
  [{ email: 'a@example.org\r\nBcc: b@example.org' }, 'email must be a mail address'],
  [{ email: 7 }, 'email must be text or a list of texts'],
  [{ email: [email, email] }, 'email must be given once'],
  [{ email, status: ['sold'] }, 'status must be one of executed, in_progress, done, cancelled, expired'],
  [{ email, events: ['x'] }, 'events must be ids of 24 lower-case hex digits'],
  [{ email, created_at: 'today' }, 'created_at must be from,to'],
  [
    { email, statuses: 'done' },
    'statuses is not a parameter of this list; it takes created_at, status, events, only_with_customer, email',
  ],
])('%j is refused', async (body, message) => {
  const answer = await vendor.send('POST', EXPORT, { body })
  expect(answer).toMatchObject({ status: 400, body: { errors: [message] } })
})

test('a field in both query and body is refused', async () => {
  const answer = await vendor.send('POST', `${EXPORT}?email=${email}`, { body: { email } })
  expect(answer).toMatchObject({ status: 400, body: { errors: ['email must be given once'] } })
})

/** Makes an export by hand, with these options in place of the service's. */
async function makeByHand(options: Partial<MakeExportOptions>, by = id('vendor')) {
  const export_id = newId(0, Date.now())
  await sql(
    `INSERT INTO exports (id, partner, email, selection, status, created_at) VALUES ($1, $2, $3, $4, 'new', now())`,
    [
      export_id,
      by,
      email,
      JSON.stringify({
        partner: by,
        events: null,
        shards: null,
        from: '',
        below: 'g',
        statuses: null,
        only_with_customer: false,
      }),
    ],
  )
  const exports_dir = await mkdtemp(join(tmpdir(), 'parterre-exports-'))
  onTestFinished(() => rm(exports_dir, { recursive: true }))
  const sent: { mail: Mail; files: Map<string, Buffer> }[] = []
  const task = createMakeExport({
    db: database.db,
    log: pino({ level: 'silent' }),
    exports_dir,
    mailer: {
      send: async (mail) => {
        const files = new Map<string, Buffer>()
        for (const { filename, content } of mail.attachments ?? [])
          if ('path' in content) files.set(filename, await readFile(content.path))
        sent.push({ mail, files })
      },
    },
    ...options,
  })
  const run = (signal = new AbortController().signal) => task({ export: export_id }, { signal })
  const state = async () =>
    (await sql('SELECT status, error, orders_done FROM exports WHERE id = $1', [export_id]))[0]
  return { run, sent, state, exports_dir }
}

test('more rows than an XLSX may have make a CSV alone, and the mail says so', async () => {
  const { run, sent } = await makeByHand({ xlsx_rows_max: 2 })
  await run()
  const [{ mail, files }] = sent as [(typeof sent)[number]]
  expect([...files.keys()]).toEqual(['orders.csv'])
  expect(readCsv(files.get('orders.csv')!).length).toBeGreaterThan(2)
  expect(mail.text).toContain('An XLSX file is made of up to 2 rows')
})

test('a mail refused for good fails the export, any other fault is left to the next try', async () => {
  let is_permanent = false
  const mailer = {
    send: () => Promise.reject(new MailError('the mail was not sent: EENVELOPE', is_permanent)),
  }
  const { run, state, exports_dir } = await makeByHand({ mailer })
  await expect(run()).rejects.toBeInstanceOf(MailError)
  expect(await state()).toMatchObject({ status: 'in_progress' })
  is_permanent = true
  await run()
  expect(await state()).toMatchObject({ status: 'failed', error: 'the mail was not sent: EENVELOPE' })
  expect(await readdir(exports_dir)).toEqual([])
})

test('an export that is told to give up leaves no files and is made again', async () => {
  const { run, state, sent, exports_dir } = await makeByHand({})
  await expect(run(AbortSignal.abort())).rejects.toThrow()
  expect([await state(), await readdir(exports_dir)]).toMatchObject([{ status: 'in_progress' }, []])
  await run()
  expect(await state()).toMatchObject({ status: 'done' })
  expect(sent).toHaveLength(1)
})

test('exports requested more than 30 days ago are deleted, ended or lost, and found no more', async () => {
  const daysAgo = (days: number) => newId(NO_SHARD, Date.now() - days * 24 * 3_600_000)
  const [lost, kept] = [daysAgo(31), daysAgo(29)]
  // More than are deleted at once.
  const ended = Array.from({ length: 1500 }, () => daysAgo(31))
  await sql(
    `INSERT INTO exports (id, partner, email, selection, status, created_at, finished_at)
     SELECT u.id, $2, $3, '{}', CASE u.id WHEN $4 THEN 'in_progress' ELSE 'done' END, now(),
            CASE u.id WHEN $4 THEN NULL ELSE now() END
     FROM unnest($1::text[]) AS u(id)`,
    [[...ended, lost, kept], id('vendor'), email, lost],
  )
  const forgetting = startForgettingExports({ db: database.db, log: pino({ level: 'silent' }) })
  onTestFinished(() => forgetting.stop())
  const old = () => sql('SELECT FROM exports WHERE id = ANY ($1::text[])', [[...ended, lost]])
  await waitUntil(async () => (await old()).length === 0)
  expect(await vendor.get(`${EXPORT}/${lost}`)).toMatchObject({
    status: 404,
    body: { errors: ['Export not found'] },
  })
  expect((await vendor.get(`${EXPORT}/${kept}`)).status).toBe(200)
})

test('100,000 rows do not hold up the thread that sells', async () => {
  const event = id('event')
  const count = 100_000
  const now = Math.floor(Date.now() / 1000)
  const ids = Array.from({ length: count }, (_, index) =>
    newId(shardOf(event), (now - 100_000 + index) * 1000),
  )
  await sql(
    `INSERT INTO orders (shard, id, event, number, org, vendor, origin, status, deal, org_share, extra_share, currency,
                         expired_after, settings)
     SELECT e.shard, u.id, e.id, nextval('order_number'), e.org, $3, 'api', 'cancelled',
            (SELECT min(d.id) FROM deals d WHERE d.org = e.org AND d.vendor = $3), 950000, 40000, e.currency,
            now(), '{"customer": {"name": "Анна Каренина", "email": "anna@example.org"}}'
     FROM events e, unnest($2::text[]) AS u(id)
     WHERE e.id = $1`,
    [event, ids, id('poor')],
  )
  const { run, sent, state } = await makeByHand({}, id('poor'))
  const rss_before = process.memoryUsage.rss()
  let rss_peak = 0
  /** CPU milliseconds of this thread between two looks, of which the work of other tests beside it is no part. */
  const turns: number[] = []
  let cpu = process.threadCpuUsage()
  const watching = setInterval(() => {
    rss_peak = Math.max(rss_peak, process.memoryUsage.rss())
    const { user, system } = process.threadCpuUsage(cpu)
    turns.push((user + system) / 1000)
    cpu = process.threadCpuUsage()
  }, 5)
  await run().finally(() => clearInterval(watching))
  expect(turns.length).toBeGreaterThan(100)
  const long = turns.filter((ms) => ms >= 50)
  expect(long.length).toBeLessThan(turns.length / 100)
  expect(rss_peak - rss_before).toBeLessThan(250e6)
  expect(await state()).toMatchObject({ status: 'done', orders_done: count })
  const { files } = sent[0]!
  const in_csv = readCsv(files.get('orders.csv')!).map((row) => row['Order id'])
  expect(in_csv).toEqual(ids.toReversed())
  expect(sheetOf(files.get('orders.xlsx')!).match(/<row>/g)).toHaveLength(count + 1)
}, 60_000)
