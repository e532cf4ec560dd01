import { expect, test } from 'vitest'
import { createClient } from '../support/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { importWorld, makeCatalog, makeEvent } from '../support/makers.ts'
import { runParterre, startService } from '../support/service.ts'
import { runSql, urlOfDatabase } from '../support/sql.ts'
import { waitUntil } from '../support/wait.ts'

// Every command is a process of its own, on the database of a service that runs.
const database = await createTestDatabase()
const world = await importWorld(database)
const service = await startService({ database })
const EVENTS = '/v1/services/simple/events'

function run(words: string[], input?: string, settings: Record<string, string> = {}) {
  return runParterre(words, {
    env: { DATABASE_URL: database.url, ...settings },
    ...(input === undefined ? {} : { input }),
  })
}

/** The result of a command that must succeed. */
async function resultOf<T = Record<string, string>>(words: string[], input?: string): Promise<T> {
  const { code, stdout, stderr } = await run(words, input)
  expect({ code, stderr }).toMatchObject({ code: 0 })
  return JSON.parse(stdout) as T
}

function statusFor(key: string): Promise<number> {
  return createClient(service.base_url, key)
    .get(EVENTS)
    .then((answer) => answer.status)
}

test('a made key is taken at once, listed without what opens anything, and refused within a second of its revocation', async () => {
  const { id, key } = await resultOf([
    'keys',
    'create',
    '--partner',
    'vendor',
    '--name',
    'kiosk',
    '--permission',
    'events',
  ])
  expect(await statusFor(key!)).toBe(200)
  const keys = await resultOf<Record<string, unknown>[]>(['keys', 'list', '--partner', 'vendor'])
  const listed = keys.find((one) => one['id'] === id)
  expect(listed).toMatchObject({
    name: 'kiosk',
    partner: { id: world.id('vendor'), name: 'Partner vendor' },
    hint: key!.slice(0, 10),
    origin: 'api',
    permissions: ['events'],
    events: null,
    expires_at: null,
    revoked_at: null,
  })
  expect(JSON.stringify(keys)).not.toContain(key)

  const first = await resultOf(['keys', 'revoke', 'kiosk'])
  await waitUntil(async () => (await statusFor(key!)) === 403, { timeout_ms: 1000 })
  expect(await resultOf(['keys', 'revoke', id!])).toEqual(first)
})

test('keys create takes origin, events and an end', async () => {
  const expires = new Date(Date.now() + 3_600_000).toISOString()
  const words = [
    '--partner',
    world.id('vendor'),
    '--name',
    'fair',
    '--origin',
    'widget',
    '--event',
    world.id('event'),
  ]
  const { id } = await resultOf(['keys', 'create', ...words, '--expires', expires])
  const keys = await resultOf<Record<string, unknown>[]>(['keys', 'list'])
  expect(keys.find((key) => key['id'] === id)).toMatchObject({
    origin: 'widget',
    events: [world.id('event')],
    permissions: ['orders', 'refunds', 'events'],
    expires_at: expires,
  })
})

test('a deposit is posted once for its ref, and shown', async () => {
  const words = ['accounts', 'deposit', 'poor', '1500.00', '--ref', 'invoice 12']
  const posted = await resultOf<Record<string, unknown>>(words)
  expect(posted).toMatchObject({ ref: 'invoice 12', posted: true, balance: '1500.00' })
  expect(await resultOf(words)).toEqual({ ...posted, posted: false })
  expect(await resultOf(['accounts', 'show', 'poor'])).toEqual([
    {
      id: posted['account'],
      kind: 'vendor',
      currency: 'RUB',
      balance: '1500.00',
      credit_limit: '0.00',
      available: '1500.00',
      transfers: [{ at: expect.any(String), kind: 'deposit', ref: 'invoice 12', amount: '1500.00' }],
    },
  ])
})

test('import reads stdin, tells the ids, and the service shows the change within a second', async () => {
  const document = makeCatalog()
  const [first, ...others] = document['partners'] as Record<string, unknown>[]
  const renamed = {
    ...document,
    partners: [{ ...first, name: 'Renamed organizer' }, ...others],
    accounts: [],
    keys: [],
  }
  const { ids, keys } = await resultOf<{ ids: Record<string, string>; keys: object }>(
    ['import', '-'],
    JSON.stringify(renamed),
  )
  expect(ids['event']).toBe(world.id('event'))
  expect(keys).toEqual({})
  const client = createClient(service.base_url, world.key('vendor'))
  await waitUntil(async () => JSON.stringify((await client.get(EVENTS)).body).includes('Renamed organizer'), {
    timeout_ms: 1000,
  })
})

test('an event that says nothing of its orders has the limits of the platform', async () => {
  const own = { order_lifetime_s: 600, max_tickets_per_order: 4 }
  const document = JSON.stringify({ events: [makeEvent('silent'), makeEvent('limited', own)] })
  const settings = { ORDER_LIFETIME_S: '60', ORDER_TICKETS_MAX: '3' }
  const { code, stdout } = await run(['import', '-'], document, settings)
  expect(code).toBe(0)
  const { ids } = JSON.parse(stdout) as { ids: Record<string, string> }
  const vendor = createClient(service.base_url, world.key('vendor'))
  const order = (event: string, count: number) =>
    vendor.createOrder({ event: ids[event]!, random: { [ids[`${event}_standing`]!]: count } })
  for (const [event, most, seconds] of [
    ['silent', 3, 60],
    ['limited', 4, 600],
  ] as const) {
    expect((await order(event, most + 1)).body.errors).toEqual([`max tickets in order is ${most}`])
    const before = Date.now()
    const { data } = (await order(event, most)).body
    const held_s = (Date.parse(data.expired_after) - before) / 1000
    expect(held_s).toBeGreaterThan(seconds - 2)
    expect(held_s).toBeLessThan(seconds + 2)
  }
})

test('what cannot be imported is told with its path, and nothing is', async () => {
  const { code, stdout, stderr } = await run(
    ['import', '-'],
    JSON.stringify({ partners: [{ ref: 'new' }], deals: [{ org: 'nobody' }] }),
  )
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('$.partners[0]')
  expect(stderr).toContain('$.deals[0]')
  expect(stderr).not.toContain('    at ')
  expect(await database.sql(`SELECT FROM partners WHERE ref = 'new'`)).toEqual([])
})

test('migrate has nothing to do here', async () => {
  expect(await resultOf(['migrate'])).toEqual({ migrations: [] })
})

test('verify says nothing on stdout when all is well, and what is broken when not', async () => {
  expect(await run(['verify'])).toMatchObject({ code: 0, stdout: '' })
  const broken = await createTestDatabase()
  await importWorld(broken)
  await broken.sql(`UPDATE accounts SET balance = balance + 1 WHERE kind = 'cash'`)
  const { code, stdout } = await runParterre(['verify'], { env: { DATABASE_URL: broken.url } })
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/^account-balance: 1\n {2}\S/m) })
})

test.each([
  [['keys', 'create', '--partner', 'nobody', '--name', 'x'], "no partner has the id, ref or name 'nobody'"],
  [
    ['keys', 'create', '--partner', 'vendor', '--name', 'vendor'],
    "Partner vendor has a key named 'vendor' already",
  ],
  [['keys', 'create', '--partner', 'vendor', '--name', 'x', '--event', 'event'], 'there is no event event'],
  [['keys', 'revoke', 'nothing'], "no key has the id or name 'nothing'"],
  [
    ['accounts', 'deposit', 'vendor', '1.00', '--ref', 'stranger_deposit'],
    "the ref 'stranger_deposit' names another deposit: nothing was posted",
  ],
  [['accounts', 'show', 'nobody'], "no partner has the id, ref or name 'nobody'"],
  [['import', 'no-such-file.json'], /^cannot read no-such-file\.json: /],
])('%j is refused', async (words, message) => {
  const { code, stdout, stderr } = await run(words)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr.trimEnd()).toEqual(typeof message === 'string' ? message : expect.stringMatching(message))
})

test('a file that is no JSON is refused', async () => {
  expect(await run(['import', '-'], '{"partners": [')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^- is not JSON: /),
  })
})

test('a schema that is not there is told, and migrate makes it', async () => {
  const name = `${new URL(database.url.replace('@/', '@socket/')).pathname.slice(1)}_bare`
  await runSql(database.url, `CREATE DATABASE ${name}`)
  const env = { DATABASE_URL: urlOfDatabase(database.url, name) }
  try {
    expect(await runParterre(['keys', 'list'], { env })).toMatchObject({
      code: 1,
      stderr: 'the schema is not up to date: run `parterre migrate`\n',
    })
    const { code, stdout } = await runParterre(['migrate'], { env })
    expect({ code, first: (JSON.parse(stdout) as { migrations: string[] }).migrations[0] }).toEqual({
      code: 0,
      first: '0001_first-schema',
    })
    expect(await runParterre(['keys', 'list'], { env })).toMatchObject({ code: 0, stdout: '[]\n' })
  } finally {
    await runSql(database.url, `DROP DATABASE ${name} WITH (FORCE)`)
  }
})

test('a database that is away is told without a stack', async () => {
  const { code, stderr } = await runParterre(['verify'], {
    env: { DATABASE_URL: 'postgres://127.0.0.1:1/none' },
  })
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^the database cannot be reached: .+\n$/),
  })
})
