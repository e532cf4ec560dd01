import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, expect, test } from 'vitest'
import { findEmbedded, startEmbedded } from '../../src/platform/embedded/start-embedded.ts'
import { createClient } from '../support/client.ts'
import { exitOf, runParterre, spawnParterre, spawnService, type Started } from '../support/service.ts'
import { runSql } from '../support/sql.ts'
import { waitUntil } from '../support/wait.ts'

// One data folder, started, stopped and killed again and again: every test begins and ends with nothing running on it.
const data_dir = mkdtempSync(join(tmpdir(), 'parterre-serve-'))
const env = { DATA_DIR: data_dir }

afterAll(async () => {
  // What a failed test has left running is taken over.
  const left = await startEmbedded({ data_dir })
  await left.stop()
  rmSync(data_dir, { recursive: true, force: true })
})

async function urlOfStore(): Promise<string> {
  const found = await findEmbedded({ data_dir })
  expect(found).toBeDefined()
  return found!.url
}

async function expectStopped(started: Started, code: number): Promise<void> {
  expect({ code: await exitOf(started), store: await findEmbedded({ data_dir }) }).toEqual({
    code,
    store: undefined,
  })
}

/** The command line that the service offers to try. */
function exampleOf(started: Started): string {
  const line = /^ {2}(curl .*)$/m.exec(started.stdout())?.[1]
  expect(line).toBeDefined()
  return line!
}

/** What the example says, for a client in this process. */
function readExample(line: string): { key: string; body: { event: string; random: Record<string, number> } } {
  const [, key = ''] = /Authorization: key (\w+)/.exec(line) ?? []
  const [, body = ''] = /-d '(.*)'/.exec(line) ?? []
  return { key, body: JSON.parse(body) as { event: string; random: Record<string, number> } }
}

test(
  'the first start makes the store, imports the demo and prints a command line that works',
  { timeout: 60_000 },
  async () => {
    const started = await spawnService(env)
    await waitUntil(() => started.stdout().includes('curl'))
    expect(started.stdout()).toContain(
      `Parterre is ready at ${started.base_url}\nAPI reference: ${started.base_url}/docs\n`,
    )
    expect(statSync(join(data_dir, 'demo-keys.json')).mode & 0o777).toBe(0o600)
    const line = exampleOf(started)
    const { stdout } = await promisify(execFile)('sh', ['-c', line])
    const { event, random } = readExample(line).body
    const answer = JSON.parse(stdout) as {
      data: { event: string; tickets: { set: string; status: string }[] }
    }
    expect(answer.data.event).toBe(event)
    const [set, count] = Object.entries(random)[0]!
    expect(answer.data.tickets.map((ticket) => [ticket.set, ticket.status])).toEqual(
      Array.from({ length: count }, () => [set, 'reserved']),
    )
    started.child.kill('SIGTERM')
    await expectStopped(started, 0)
  },
)

test('a later start prints the keys that still work', async () => {
  const started = await spawnService(env)
  await waitUntil(() => started.stdout().includes('curl'))
  expect(started.stdout()).toContain('(north-wind)')
  expect(await runParterre(['keys', 'revoke', 'north-wind'], { env })).toMatchObject({ code: 0 })
  started.child.kill('SIGINT')
  await expectStopped(started, 0)

  const again = await spawnService(env)
  await waitUntil(() => again.stdout().includes('curl'))
  expect(again.stdout()).not.toContain('(north-wind)')
  expect(readExample(exampleOf(again))).toEqual(readExample(exampleOf(started)))
  again.child.kill('SIGTERM')
  await expectStopped(again, 0)
})

test('after kill -9 the next start works, and has every order that was acknowledged', async () => {
  const started = await spawnService(env)
  await waitUntil(() => started.stdout().includes('curl'))
  const { key, body } = readExample(exampleOf(started))
  const client = createClient(started.base_url, key)
  const acknowledged: { id: string; status: string }[] = []
  /** False when the connection ended with the service: what was asked then is not acknowledged. */
  async function buy(): Promise<boolean> {
    const created = await client.createOrder(body).catch(() => undefined)
    if (!created) return false
    expect(created.status).toBe(200)
    const { id } = created.body.data
    acknowledged.push({ id, status: 'executed' })
    const done = await client.changeOrder(id, { status: 'done' }).catch(() => undefined)
    if (!done) return false
    expect(done.status).toBe(200)
    acknowledged.push({ id, status: 'done' })
    return true
  }
  const buyers = Array.from({ length: 8 }, async () => {
    while (await buy());
  })
  await waitUntil(() => acknowledged.length > 100)
  started.child.kill('SIGKILL')
  await Promise.all(buyers)
  await exitOf(started)

  const again = await spawnService(env)
  const reader = createClient(again.base_url, key)
  for (const { id, status } of acknowledged.slice(-40)) {
    const { body: found } = await reader.getOrder(id)
    expect([status, 'done']).toContain(found.data.status)
  }
  expect(await runParterre(['verify'], { env })).toMatchObject({ code: 0, stderr: 'every invariant holds\n' })
  again.child.kill('SIGTERM')
  await expectStopped(again, 0)
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  'on %s a request in flight is answered, then everything ends',
  async (signal) => {
    const started = await spawnService(env)
    await waitUntil(() => started.stdout().includes('curl'))
    const { key, body } = readExample(exampleOf(started))
    const client = createClient(started.base_url, key)
    // Who holds the event's counts holds up its orders.
    const url = await urlOfStore()
    const blocker = new Client({ connectionString: url })
    blocker.on('error', () => {})
    await blocker.connect()
    await blocker.query('BEGIN')
    await blocker.query('SELECT FROM set_counts WHERE event = $1 FOR UPDATE', [body.event])
    const answered = client.createOrder(body)
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
    await waitUntil(async () => (await runSql(url, waiting)).length > 0)
    started.child.kill(signal)
    await waitUntil(() =>
      fetch(started.base_url).then(
        () => false,
        () => true,
      ),
    )
    expect(started.child.exitCode).toBeNull()
    await blocker.query('ROLLBACK')
    await blocker.end()
    const { status, body: order } = await answered
    expect({ status, tickets: order.data.tickets.length }).toEqual({ status: 200, tickets: 2 })
    await expectStopped(started, 0)
  },
)

test('a port in use is told, and PostgreSQL is not left running', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const { code, stderr } = await runParterre(['serve'], {
    env: { ...env, PORT: String(port), LOG_LEVEL: 'warn' },
  })
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `cannot listen on HOST and PORT: listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`,
  })
  expect(await findEmbedded({ data_dir })).toBeUndefined()
  taken.close()
})

test('two services cannot have one data folder', async () => {
  const started = await spawnService(env)
  expect(await runParterre(['serve'], { env: { ...env, PORT: '0' } })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/another Parterre is running on .*\n$/),
  })
  started.child.kill('SIGTERM')
  await expectStopped(started, 0)
})

test('a command alone starts PostgreSQL for its own time, and one beside a service leaves it running', async () => {
  expect(await runParterre(['accounts', 'show', 'biletik'], { env })).toMatchObject({ code: 0 })
  expect(await findEmbedded({ data_dir })).toBeUndefined()
  const started = await spawnService(env)
  expect(await runParterre(['accounts', 'show', 'biletik'], { env })).toMatchObject({ code: 0 })
  expect((await fetch(`${started.base_url}/health/ready`)).status).toBe(200)
  started.child.kill('SIGTERM')
  await expectStopped(started, 0)
})

test('a signal while starting is obeyed once started', async () => {
  const started = spawnParterre(['serve'], { ...env, PORT: '0', LOG_LEVEL: 'info' })
  await waitUntil(() => started.stderr().includes('postgres has started'))
  started.child.kill('SIGTERM')
  await expectStopped(started, 0)
})
