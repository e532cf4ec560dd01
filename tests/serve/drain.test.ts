/** What proxies and balancers see of a service that is told to stop. */
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { status as Status } from '@grpc/grpc-js'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../support/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { createGrpcClient } from '../support/grpc-client.ts'
import { importWorld } from '../support/makers.ts'
import { exitOf, spawnService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

const database = await createTestDatabase()
const world = await importWorld(database)
const env = { DATABASE_URL: database.url }
const key = world.key('vendor')

/** A connection as a proxy keeps it, and what sends a request over it. */
function keepConnection(base_url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  return async (path: string) => {
    const [answer] = (await once(get(`${base_url}${path}`, { agent }), 'response')) as [IncomingMessage]
    const { statusCode: status, headers, socket } = answer
    const { localPort: client_port } = socket
    await text(answer)
    return { status, connection: headers.connection, client_port, socket }
  }
}

async function isListening({ base_url }: { base_url: string }): Promise<boolean> {
  const socket = connect(Number(new URL(base_url).port), '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

test('SIGTERM: first not ready, then no new connections; the open ones end with an answer, idle ones at last', async () => {
  const started = await spawnService({ ...env, SHUTDOWN_DELAY_MS: '3000' })
  const sendOverOne = keepConnection(started.base_url)
  const sendOverOther = keepConnection(started.base_url)
  const one = await sendOverOne('/health/live')
  const idle = await sendOverOther('/health/live')
  const grpc = createGrpcClient({ address: started.grpc_address, key })
  const older = createGrpcClient({ address: started.grpc_address, key })
  for (const client of [grpc, older]) expect(await client.list('tags')).toEqual([])

  started.child.kill('SIGTERM')
  await waitUntil(async () => (await sendOverOne('/health/ready')).status === 503)
  const fresh = await createClient(started.base_url, key).createOrder({
    event: world.id('event'),
    random: { [world.id('standing')]: 1 },
  })
  expect(fresh.status).toBe(200)
  expect(await sendOverOne('/health/live')).toMatchObject({
    status: 200,
    connection: 'keep-alive',
    client_port: one.client_port,
  })
  expect(await createGrpcClient({ address: started.grpc_address, key }).list('tags')).toEqual([])

  await waitUntil(async () => !(await isListening(started)))
  expect(await sendOverOne('/health/live')).toMatchObject({
    status: 200,
    connection: 'close',
    client_port: one.client_port,
  })
  await expect(sendOverOne('/health/live')).rejects.toThrow('ECONNREFUSED')
  expect(await grpc.list('tags')).toEqual([])
  expect((await grpc.refusal('tags')).code).toBe(Status.UNAVAILABLE)
  expect(idle.socket.destroyed).toBe(false)

  await once(idle.socket, 'close')
  expect(await exitOf(started)).toBe(0)
  expect(started.stderr()).toBe('')
})

test('SIGTERM: without connections nothing is waited for when the first delay is over', async () => {
  const started = await spawnService({ ...env, SHUTDOWN_DELAY_MS: '3000' })
  started.child.kill('SIGTERM')
  await waitUntil(async () => !(await isListening(started)))
  const stopped_at = performance.now()
  expect(await exitOf(started)).toBe(0)
  expect(performance.now() - stopped_at).toBeLessThan(2500)
})

test('SIGTERM: a second signal a second later ends the delay, and the service stops in order', async () => {
  const started = await spawnService({ ...env, SHUTDOWN_DELAY_MS: '60000', LOG_LEVEL: 'info' })
  started.child.kill('SIGTERM')
  const begun_at = performance.now()
  await waitUntil(() => {
    if (!started.stderr().includes('"stopping"')) started.child.kill('SIGTERM')
    return started.child.exitCode !== null
  })
  expect(await exitOf(started)).toBe(0)
  expect(performance.now() - begun_at).toBeGreaterThan(900)
})

test('SIGINT waits for nothing', async () => {
  const started = await spawnService({ ...env, SHUTDOWN_DELAY_MS: '60000' })
  started.child.kill('SIGINT')
  const begun_at = performance.now()
  expect(await exitOf(started)).toBe(0)
  expect(performance.now() - begun_at).toBeLessThan(5000)
})
