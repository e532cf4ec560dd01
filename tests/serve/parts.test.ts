import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../support/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { importWorld } from '../support/makers.ts'
import { openFreezable } from '../support/proxy.ts'
import { exitOf, runParterre, spawnParterre, spawnService, startService } from '../support/service.ts'
import { runSql, urlOfDatabase } from '../support/sql.ts'
import { tlsFile } from '../support/tls-files.ts'
import { waitUntil } from '../support/wait.ts'

const database = await createTestDatabase()
const world = await importWorld(database)
let databases = 0
const env = { DATABASE_URL: database.url }
const CERT = tlsFile('localhost.pem')
const freezable = await openFreezable(database.url)

test('orders of a process of the API alone are lapsed by one of the jobs alone', async () => {
  const api = await spawnService(env, ['--only', 'api'])
  const client = createClient(api.base_url, world.key('vendor'))
  const { body } = await client.createOrder({
    event: world.id('event'),
    random: { [world.id('standing')]: 1 },
  })
  await database.sql(`UPDATE orders SET expired_after = now() - interval '1 second'`)
  const statusOf = async () => {
    const [row] = await database.sql('SELECT status FROM orders WHERE id = $1', [body.data.id])
    return row?.['status']
  }

  const jobs = spawnParterre(['serve', '--only', 'jobs'], { ...env, LOG_LEVEL: 'warn' })
  const jobs_url = await waitUntil(() => urlOfJobs(jobs.stdout()))
  await waitUntil(async () => (await statusOf()) === 'expired', { timeout_ms: 2000 })

  expect(await readMetrics(jobs_url)).toContain('parterre_orders_total{result="expired"} 1\n')
  for (const started of [api, jobs]) {
    started.child.kill('SIGTERM')
    expect(await exitOf(started)).toBe(0)
  }
})

test('the log tells where a process serves, when it stops, and that it has stopped', async () => {
  const api = await spawnService({ ...env, LOG_LEVEL: 'info' }, ['--only', 'api'])
  const jobs = spawnParterre(['serve', '--only', 'jobs'], {
    ...env,
    SMTP_URL: 'smtp://127.0.0.1',
    LOG_LEVEL: 'info',
  })
  const jobs_url = await waitUntil(() => urlOfJobs(jobs.stdout()))
  for (const started of [api, jobs]) {
    started.child.kill('SIGTERM')
    await waitUntil(() => started.stderr().includes('"stopped"'))
  }

  const { base_url, grpc_address } = api
  expect(linesOf(api.stderr())).toMatchObject([
    { msg: 'ready', parts: ['api'], base_url, grpc_address },
    { msg: 'stopping' },
    { msg: 'stopped' },
  ])
  expect(linesOf(jobs.stderr())).toMatchObject([
    { msg: 'ready', parts: ['jobs'], health_url: jobs_url },
    { msg: 'stopping' },
    { msg: 'stopped' },
  ])
})

function linesOf(log: string): unknown[] {
  return log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
}

function urlOfJobs(said: string): string | undefined {
  return /^Parterre runs its jobs\nHealth and metrics: (\S+)\n$/.exec(said)?.[1]
}

async function readMetrics(url: string): Promise<string> {
  const answer = await fetch(`${url}/metrics`)
  expect(answer.status).toBe(200)
  return answer.text()
}

test('a process of the jobs alone tells its health and metrics, and nothing else', async () => {
  const { base_url: url } = await startService({
    database: freezable,
    config: { log_level: 'silent' },
    parts: ['jobs'],
  })
  const answerOf = async (path: string) => {
    const answer = await fetch(`${url}${path}`)
    return { status: answer.status, body: await answer.json() }
  }
  expect(await answerOf('/health/live')).toEqual({ status: 200, body: { status: 'live' } })
  expect(await answerOf('/health/ready')).toEqual({ status: 200, body: { status: 'ready' } })
  expect(await readMetrics(url)).toContain('process_cpu_seconds_total')
  expect(await answerOf('/v2/resources/orders')).toEqual({
    status: 404,
    body: { errors: ['GET /v2/resources/orders not found'] },
  })
  freezable.freeze()
  onTestFinished(() => freezable.thaw())
  expect(await answerOf('/health/ready')).toEqual({ status: 503, body: { errors: ['not ready'] } })
  expect(await answerOf('/health/live')).toMatchObject({ status: 200 })
})

test('a start waits for a database that is slow to take a connection', async () => {
  freezable.freeze()
  const before = freezable.connections()
  const starting = spawnService({ DATABASE_URL: freezable.url })
  await waitUntil(() => freezable.connections() - before === 2, { timeout_ms: 10_000 })
  freezable.thaw()
  const { base_url } = await starting
  expect((await fetch(`${base_url}/health/ready`)).status).toBe(200)
})

test('a port of the jobs that is taken is told with its setting', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  const { code, stderr } = await runParterre(['serve', '--only', 'jobs'], {
    env: { ...env, JOBS_PORT: String(port) },
  })
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('cannot listen on HOST and JOBS_PORT: '),
  })
})

test('a store with partners gets no demo catalog; an empty one none when it is off', async () => {
  const started = await spawnService(env)
  expect(await database.sql('SELECT count(*) FROM partners')).toEqual([{ count: 5 }])
  expect(started.stdout()).not.toContain('curl')
  started.child.kill('SIGTERM')
  await exitOf(started)

  const url = await makeEmptyDatabase()
  const empty = await spawnService({ DATABASE_URL: url, DEMO_CATALOG: 'off' })
  expect(await runSql(url, 'SELECT FROM partners')).toEqual([])
  empty.child.kill('SIGTERM')
  expect(await exitOf(empty)).toBe(0)
})

test('two that start on one empty store at once make schema and demo once', async () => {
  const data_dir = mkdtempSync(join(tmpdir(), 'parterre-parts-'))
  onTestFinished(() => rmSync(data_dir, { recursive: true }))
  const url = await makeEmptyDatabase()
  const both = await Promise.all([1, 2].map(() => spawnService({ DATABASE_URL: url, DATA_DIR: data_dir })))
  const { keys } = JSON.parse(readFileSync(join(data_dir, 'demo-keys.json'), 'utf8')) as {
    keys: Record<string, string>
  }
  for (const { base_url, child } of both) {
    expect((await createClient(base_url, keys['biletik']).get('/v1/services/simple/events')).status).toBe(200)
    child.kill('SIGTERM')
  }
  expect(await Promise.all(both.map(exitOf))).toEqual([0, 0])
  expect(await runSql(url, 'SELECT count(*)::integer FROM api_keys')).toEqual([
    { count: Object.keys(keys).length },
  ])
})

/** Without even a schema; dropped after the test. */
async function makeEmptyDatabase(): Promise<string> {
  const name = `${/[^/]+$/.exec(database.url.split('?')[0]!)![0]}_${databases++}`
  await runSql(database.url, `CREATE DATABASE ${name}`)
  onTestFinished(async () => void (await runSql(database.url, `DROP DATABASE ${name} WITH (FORCE)`)))
  return urlOfDatabase(database.url, name)
}

/** Without a schema, and neither a superuser nor its owner may make one. */
async function makeClosedDatabase(): Promise<string> {
  const url = await makeEmptyDatabase()
  await runSql(url, 'REVOKE ALL ON SCHEMA public FROM pg_database_owner, PUBLIC')
  await runSql(
    url,
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET role = pg_read_all_data', current_database()); END $$`,
  )
  return url
}

test.each([
  ['no server', () => 'postgres://127.0.0.1:1/none', /^the database cannot be reached: /],
  ['no such database', () => urlOfDatabase(database.url, 'no_such_database'), /^the database refuses: /],
  [
    'a user that may not create tables',
    makeClosedDatabase,
    /^the database refuses: permission denied for schema public\n.* must own the database.*\n$/,
  ],
  ['a URL that is none', () => 'postgres://user@host:port/none', /^DATABASE_URL is no URL: .*\n$/],
  [
    'a server without TLS',
    async () => `postgres://127.0.0.1:${await standInServer('N')}/none?sslmode=verify-full`,
    /^the database does not speak TLS, which sslmode in DATABASE_URL asks for\n.*\n$/,
  ],
  [
    'a server that fails at TLS',
    async () => `postgres://127.0.0.1:${await standInServer('E')}/none?sslmode=verify-full`,
    /^the database refuses to speak TLS: .*\n$/,
  ],
  [
    'a certificate of an unknown authority',
    async () => `postgres://localhost:${await standInServer('S')}/none?sslmode=verify-full`,
    /^the certificate of the database is not trusted: self-signed certificate.* \(DEPTH_ZERO_SELF_SIGNED_CERT\)\n.*sslrootcert.*\n$/,
  ],
  [
    'a certificate of another name',
    async () =>
      `postgres://127.0.0.2:${await standInServer('S')}/none?sslmode=verify-full&sslrootcert=${CERT}`,
    /^the certificate of the database is not trusted: .* \(ERR_TLS_CERT_ALTNAME_INVALID\)\n.*\n$/,
  ],
])('%s: told without a stack, exit code 1', async (_name, urlOf, message) => {
  const { code, stdout, stderr } = await runParterre(['serve'], {
    env: { DATABASE_URL: await urlOf(), PORT: '0' },
  })
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(message) })
  expect(stderr).not.toContain('    at ')
})

/** What a PostgreSQL does that is asked for TLS: it says N or E, or S and goes on by TLS. Answers its port. */
async function standInServer(answer: 'N' | 'E' | 'S'): Promise<number> {
  const tls = createTlsServer({ cert: readFileSync(CERT), key: readFileSync(tlsFile('localhost-key.pem')) })
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(answer)
      if (answer === 'S') tls.emit('connection', socket)
    })
  })
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

test('a second signal a second later ends the process at once', async () => {
  const started = await spawnService(env)
  // A connection that sends half a request keeps the server from closing.
  const socket = connect(Number(new URL(started.base_url).port), '127.0.0.1')
  socket.on('error', () => {})
  const headers = `Host: x\r\nAuthorization: key ${world.key('vendor')}\r\nContent-Type: application/json`
  socket.write(`POST /v2/resources/orders HTTP/1.1\r\n${headers}\r\nContent-Length: 10\r\n\r\n`)
  await waitUntil(() => socket.bytesWritten > 0 && !socket.connecting)
  started.child.kill('SIGTERM')
  const begun_at = performance.now()
  await waitUntil(() => {
    started.child.kill('SIGTERM')
    return started.child.exitCode !== null || started.child.signalCode !== null
  })
  expect(await exitOf(started)).toBe(1)
  expect(performance.now() - begun_at).toBeGreaterThan(900)
})
