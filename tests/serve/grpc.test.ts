/** The gRPC port of a service that is started as a process. */
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { Client, credentials, status as Status } from '@grpc/grpc-js'
import type { ServiceError } from '@grpc/grpc-js'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../support/database.ts'
import { createGrpcClient } from '../support/grpc-client.ts'
import { importWorld, makeCatalog } from '../support/makers.ts'
import { exitOf, runParterre, spawnService } from '../support/service.ts'
import { ownTls, stallHandshakes, tlsFile } from '../support/tls-files.ts'
import { waitUntil } from '../support/wait.ts'

const SEATS_IN_ROW = 500
const ROWS = 20

const database = await createTestDatabase()
const rows = Array.from({ length: ROWS }, (_row, index) => ({ row: String(index + 1), seats: SEATS_IN_ROW }))
const world = await importWorld(
  database,
  makeCatalog({
    maps: [
      {
        ref: 'map',
        venue: 'venue',
        name: 'Arena',
        sectors: [{ ref: 'hall', name: 'Bowl', with_seats: true, rows }],
      },
    ],
  }),
)
const env = { DATABASE_URL: database.url }
const key = world.key('vendor')

test('a port that is taken is told with its setting', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  const { code, stderr } = await runParterre(['serve'], {
    env: { ...env, PORT: '0', GRPC_PORT: String(port) },
  })
  expect(code).toBe(1)
  expect(stderr).toContain('cannot listen on HOST and GRPC_PORT')
})

test('SIGTERM: open calls are answered whole, new ones are refused, the process ends by itself', async () => {
  const started = await spawnService(env)
  const client = createGrpcClient({ address: started.grpc_address, key })
  const call = client.open('seats', { event: world.id('event') })
  let seats = 0
  call.on('data', () => {
    seats++
    if (seats === 1) call.pause()
  })
  const ended = once(call, 'end')
  await waitUntil(() => seats > 0)
  started.child.kill('SIGTERM')
  await waitUntil(async () => {
    const late = createGrpcClient({ address: started.grpc_address, key })
    const outcome = await late.list('tags').catch((error: ServiceError) => error)
    return !Array.isArray(outcome) && outcome.code === Status.UNAVAILABLE
  })
  expect(started.child.exitCode).toBe(null)
  call.resume()
  await ended
  expect(seats).toBe(ROWS * SEATS_IN_ROW)
  expect(await exitOf(started)).toBe(0)
})

test('SIGTERM: connections over which nothing was ever asked do not hold the process', async () => {
  const started = await spawnService(env)
  const [host = '', port] = started.grpc_address.split(':')
  for (const silent of [connect(Number(port), host), connect(Number(new URL(started.base_url).port), host)]) {
    silent.on('error', () => {}).resume()
    await once(silent, 'connect')
  }
  const begun_at = performance.now()
  started.child.kill('SIGTERM')
  expect(await exitOf(started)).toBe(0)
  expect(performance.now() - begun_at).toBeLessThan(5000)
})

test('SIGTERM: a stream of reflection that is left open does not hold the process', async () => {
  const started = await spawnService(env)
  const client = new Client(started.grpc_address, credentials.createInsecure())
  onTestFinished(() => client.close())
  const asIs = (bytes: Buffer) => bytes
  const call = client.makeBidiStreamRequest(
    '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
    asIs,
    asIs,
  )
  // A request without fields is answered that it asks for nothing.
  call.write(Buffer.alloc(0))
  await once(call, 'data')
  const begun_at = performance.now()
  started.child.kill('SIGTERM')
  expect(await exitOf(started)).toBe(0)
  expect(performance.now() - begun_at).toBeLessThan(5000)
})

test('SIGTERM: a client that begins no TLS handshake, or does not end it, does not hold the process', async () => {
  const started = await spawnService({
    ...env,
    TLS_CERT: tlsFile('localhost.pem'),
    TLS_KEY: tlsFile('localhost-key.pem'),
  })
  const [host = '', port] = started.grpc_address.split(':')
  await stallHandshakes(Number(port), host)
  const begun_at = performance.now()
  started.child.kill('SIGTERM')
  expect(await exitOf(started)).toBe(0)
  expect(performance.now() - begun_at).toBeLessThan(5000)
})

test('TLS: calls are encrypted, plain ones refused, and SIGHUP renews the certificate', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parterre-grpc-tls-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { settings: own, install } = ownTls(folder)
  install('localhost')
  const started = await spawnService({ ...env, ...own })
  const { grpc_address: address } = started
  const listWith = (name: string) =>
    createGrpcClient({ address, key, ca: readFileSync(tlsFile(`${name}.pem`)) }).list('tags')
  expect(await listWith('localhost')).toEqual([])
  expect((await createGrpcClient({ address, key }).refusal('tags')).code).toBe(Status.UNAVAILABLE)
  const [host = '', port] = address.split(':')
  const old = connectTls({
    host,
    port: Number(port),
    maxVersion: 'TLSv1.1',
    minVersion: 'TLSv1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  })
  await expect(once(old, 'secureConnect')).rejects.toThrow()

  install('renewed')
  started.child.kill('SIGHUP')
  await waitUntil(() => listWith('renewed').catch(() => undefined))
})
