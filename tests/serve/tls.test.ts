import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect, type SecureVersion } from 'node:tls'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../support/database.ts'
import { importWorld } from '../support/makers.ts'
import { sendRaw } from '../support/raw-http.ts'
import { exitOf, runParterre, spawnParterre, spawnService } from '../support/service.ts'
import { ownTls, stallHandshakes, tlsFile } from '../support/tls-files.ts'
import { waitUntil } from '../support/wait.ts'

const database = await createTestDatabase()
const world = await importWorld(database)
const folder = mkdtempSync(join(tmpdir(), 'parterre-tls-'))
afterAll(() => rmSync(folder, { recursive: true }))

const PAIR = { TLS_CERT: tlsFile('localhost.pem'), TLS_KEY: tlsFile('localhost-key.pem') }
const env = { DATABASE_URL: database.url, ...PAIR }
const CA = ['localhost.pem', 'renewed.pem'].map((name) => readFileSync(tlsFile(name), 'utf8'))

/** A file of the test's own, with this content. */
function write(name: string, content: string): string {
  const file = join(folder, name)
  writeFileSync(file, content)
  return file
}

type Sent = { method?: string; body?: object; agent?: Agent }

/** A seller's request by HTTPS that trusts the certificates of the tests; on a connection of its own unless `agent` keeps one. */
async function send(base_url: string, path: string, { method = 'GET', body, agent }: Sent = {}) {
  const headers = { authorization: `key ${world.key('vendor')}`, 'content-type': 'application/json' }
  const sent = request(`${base_url}${path}`, { method, headers, ca: CA, agent: agent ?? false })
  sent.end(body && JSON.stringify(body))
  const [answer] = await once(sent, 'response')
  const { statusCode: status, socket } = answer as IncomingMessage
  const { localPort: client_port } = socket
  return { status, client_port, body: JSON.parse(await text(answer)) as unknown }
}

/** What a client that speaks no newer TLS and prefers HTTP/2 agrees on with the service; throws when they cannot agree. */
async function shakeHands(base_url: string, newest: SecureVersion = 'TLSv1.3') {
  const socket = connect({
    host: '127.0.0.1',
    port: Number(new URL(base_url).port),
    ca: CA,
    ALPNProtocols: ['h2', 'http/1.1'],
    minVersion: 'TLSv1',
    maxVersion: newest,
    // Lets the client offer what is out of date.
    ciphers: 'DEFAULT@SECLEVEL=0',
  })
  await once(socket, 'secureConnect')
  const { O: name } = socket.getPeerCertificate().subject
  const agreed = { name, version: socket.getProtocol(), protocol: socket.alpnProtocol }
  socket.destroy()
  return agreed
}

test('REST is served by HTTPS, and the addresses it tells say so', async () => {
  const started = await spawnService(env)
  const { base_url } = started
  expect(base_url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
  expect(started.stdout()).toContain(`API reference: ${base_url}/docs\n`)
  const document = await send(base_url, '/openapi.json')
  expect(document.body).toMatchObject({ servers: [{ url: base_url }] })
  const made = await send(base_url, '/v2/resources/orders', {
    method: 'POST',
    body: { event: world.id('event'), random: { [world.id('standing')]: 1 } },
  })
  expect(made).toMatchObject({ status: 200, body: { data: { tickets: [{ status: 'reserved' }] } } })
  expect(started.stderr()).toBe('')
})

test('TLS 1.2 and newer with HTTP/1.1 are spoken; plain HTTP and older TLS are refused and do no harm', async () => {
  const started = await spawnService(env)
  const { base_url } = started
  const { port } = new URL(base_url)
  await expect(sendRaw(Number(port), 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')).rejects.toThrow()
  await expect(fetch(`http://127.0.0.1:${port}/health/live`)).rejects.toThrow('fetch failed')
  await expect(shakeHands(base_url, 'TLSv1.1')).rejects.toThrow('alert protocol version')
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const agreed = { name: 'Parterre localhost', version, protocol: 'http/1.1' }
    expect(await shakeHands(base_url, version)).toEqual(agreed)
  }
  expect((await send(base_url, '/health/live')).body).toEqual({ status: 'live' })
  started.child.kill('SIGTERM')
  expect(await exitOf(started)).toBe(0)
  expect(started.stderr()).toBe('')
})

test('clients that begin no handshake, or do not end it, do not hold a service that ends', async () => {
  const started = await spawnService(env)
  await stallHandshakes(Number(new URL(started.base_url).port), '127.0.0.1')
  const begun_at = performance.now()
  started.child.kill('SIGTERM')
  expect(await exitOf(started)).toBe(0)
  expect(performance.now() - begun_at).toBeLessThan(5000)
  expect(started.stderr()).toBe('')
})

test('SIGHUP renews the certificate of new connections; bad files are told and change nothing', async () => {
  const { settings: own, install } = ownTls(folder)
  install('localhost')
  const started = await spawnService({ ...env, ...own })
  const { base_url, child } = started
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  const nameOf = async () => (await shakeHands(base_url)).name
  const { client_port } = await send(base_url, '/health/live', { agent })
  expect(await nameOf()).toBe('Parterre localhost')

  install('renewed')
  child.kill('SIGHUP')
  await waitUntil(async () => (await nameOf()) === 'Parterre renewed')
  expect(await send(base_url, '/health/live', { agent })).toMatchObject({ status: 200, client_port })

  writeFileSync(own.TLS_CERT, readFileSync(PAIR.TLS_CERT))
  child.kill('SIGHUP')
  await waitUntil(() => started.stderr().includes('the certificate was not renewed'))
  expect(JSON.parse(started.stderr())).toMatchObject({
    level: 'error',
    reason: `TLS_KEY (${own.TLS_KEY}) is not the key of the first certificate of TLS_CERT (${own.TLS_CERT})`,
  })
  expect(await nameOf()).toBe('Parterre renewed')
})

const NOWHERE = join(folder, 'nowhere.pem')
const SECRET = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' },
}).privateKey

test.each<[string, Partial<typeof PAIR>, string]>([
  ['no certificate', { TLS_CERT: '' }, 'TLS_KEY needs TLS_CERT too'],
  ['no key', { TLS_KEY: '' }, 'TLS_CERT needs TLS_KEY too'],
  [
    'a certificate that is not there',
    { TLS_CERT: NOWHERE },
    `TLS_CERT (${NOWHERE}) cannot be read: ENOENT: no such file or directory, open '${NOWHERE}'`,
  ],
  ['a folder for the key', { TLS_KEY: folder }, `TLS_KEY (${folder}) cannot be read: EISDIR: `],
  [
    'the files the wrong way round',
    { TLS_CERT: PAIR.TLS_KEY, TLS_KEY: PAIR.TLS_CERT },
    `TLS_CERT (${PAIR.TLS_KEY}) is no certificate in PEM: `,
  ],
  [
    'a certificate for the key',
    { TLS_KEY: PAIR.TLS_CERT },
    `TLS_KEY (${PAIR.TLS_CERT}) is no private key in PEM without a passphrase: `,
  ],
  [
    'a key with a passphrase',
    { TLS_KEY: write('secret-key.pem', SECRET) },
    `TLS_KEY (${join(folder, 'secret-key.pem')}) is no private key in PEM without a passphrase: `,
  ],
  [
    'a key of another certificate',
    { TLS_KEY: tlsFile('renewed-key.pem') },
    `TLS_KEY (${tlsFile('renewed-key.pem')}) is not the key of the first certificate of TLS_CERT (${PAIR.TLS_CERT})`,
  ],
  [
    'a broken chain',
    {
      TLS_CERT: write('broken.pem', `${CA[0]}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`),
    },
    `TLS_CERT (${join(folder, 'broken.pem')}) and TLS_KEY (${PAIR.TLS_KEY}) cannot be used: `,
  ],
])('%s is refused before anything is opened', async (_name, changes, message) => {
  const data_dir = join(folder, 'data')
  const refused = await runParterre(['serve'], { env: { ...PAIR, ...changes, DATA_DIR: data_dir } })
  expect(refused).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(message) })
  expect(refused.stderr).not.toContain('    at ')
  expect(existsSync(data_dir)).toBe(false)
})

test('a certificate that has expired is served with a warning', async () => {
  const started = await spawnService({ ...env, TLS_CERT: tlsFile('expired.pem') })
  expect(JSON.parse(started.stderr())).toMatchObject({
    level: 'warn',
    file: tlsFile('expired.pem'),
    msg: 'the certificate of TLS_CERT is not valid today',
  })
  await expect(send(started.base_url, '/health/live')).rejects.toMatchObject({ code: 'CERT_HAS_EXPIRED' })
})

test('a process of the jobs alone needs no certificate: what it tells is in the clear', async () => {
  const started = spawnParterre(['serve', '--only', 'jobs'], { ...env, TLS_CERT: NOWHERE, LOG_LEVEL: 'warn' })
  const url = await waitUntil(() => /^Health and metrics: (http:.*)$/m.exec(started.stdout())?.[1])
  expect((await fetch(`${url}/health/ready`)).status).toBe(200)
  expect(started.stderr()).toBe('')
})
