import { afterEach, expect, test, vi } from 'vitest'
import { createSender } from '../../src/platform/webhooks/send.ts'
import { startReceiver } from '../support/receiver.ts'

const REFUSED = { error: 'the address is not a public one' }
const message = (url: string) => ({ url, headers: { 'x-test': 'yes' }, body: 'Ёлка' })

const receiver = await startReceiver(({ path }) => (path === '/teapot' ? 418 : 200))
const port = new URL(receiver.url).port
afterEach(() => vi.unstubAllEnvs())

test.each([
  `http://127.0.0.1:${port}/`,
  `http://127.1:${port}/`,
  `http://2130706433:${port}/`,
  `http://0x7f000001:${port}/`,
  `http://0177.0.0.1:${port}/`,
  `http://localhost:${port}/`,
  `http://[::1]:${port}/`,
  `http://[::ffff:127.0.0.1]:${port}/`,
  `http://[64:ff9b::7f00:1]:${port}/`,
  `http://0.0.0.0:${port}/`,
  'http://169.254.169.254/latest/meta-data/',
  'http://10.0.0.1/',
  'https://192.168.0.1/',
  'https://[fd00::1]/',
])('%s is refused', async (url) => {
  expect(await createSender({ allow_private: false })(message(url))).toEqual(REFUSED)
  expect(receiver.received()).toEqual([])
})

test.each([
  ['an inside address', ['127.0.0.1']],
  ['an inside address beside a public one', ['8.8.8.8', '127.0.0.1']],
])('a name of %s is refused', async (_name, addresses) => {
  const lookup = async () => addresses.map((address) => ({ address, family: 4 }))
  const send = createSender({ allow_private: false, lookup })
  expect(await send(message(`http://tickets.example:${port}/`))).toEqual(REFUSED)
  expect(receiver.received()).toEqual([])
})

test('a name is looked up once, and what was checked is what is connected to', async () => {
  const lookup = vi
    .fn<() => Promise<{ address: string; family: number }[]>>()
    .mockResolvedValueOnce([{ address: '127.0.0.1', family: 4 }])
    .mockResolvedValue([{ address: '10.0.0.1', family: 4 }])
  const send = createSender({ allow_private: true, lookup })
  expect(await send(message(`http://tickets.example:${port}/`))).toEqual({ status: 200 })
  expect(lookup).toHaveBeenCalledTimes(1)
  const [one] = receiver.received()
  expect(one!.headers.host).toBe(`tickets.example:${port}`)
})

test.each([
  ['http://127.0.0.1:22/', { error: 'port 22 is not allowed' }],
  ['https://127.0.0.1:25/', { error: 'port 25 is not allowed' }],
  ['http://no-such-host.invalid/', { error: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/) }],
  [`https://127.0.0.1:${port}/`, { error: expect.stringMatching(/SSL|EPROTO/) }],
  [`http://127.0.0.1:${port}/teapot`, { status: 418 }],
])('%s: %o', async (url, outcome) => {
  expect(await createSender({ allow_private: true })(message(url))).toEqual(outcome)
})

test('nothing listening is told', async () => {
  const send = createSender({ allow_private: true })
  expect(await send(message('http://127.0.0.1:1024/'))).toEqual({ error: 'ECONNREFUSED' })
})

test('a message comes as it was given, whatever proxy the environment names', async () => {
  vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1')
  vi.stubEnv('http_proxy', 'http://127.0.0.1:1')
  const direct = await startReceiver(() => 200)
  expect(await createSender({ allow_private: true })(message(direct.url))).toEqual({ status: 200 })
  const [one] = direct.received()
  expect(one).toMatchObject({ body: 'Ёлка', headers: { 'x-test': 'yes', 'content-length': '8' } })
})

test('no answer in time is told; an answer that does not end in time is one', async () => {
  const slow = await startReceiver(({ path }) => (_request, response) => {
    if (path === '/begun') response.writeHead(200).write('some of it')
  })
  const send = createSender({ allow_private: true, timeout_ms: 200 })
  expect(await send(message(`${slow.url}/silent`))).toEqual({ error: 'no answer within 0.2 s' })
  expect(await send(message(`${slow.url}/begun`))).toEqual({ status: 200 })
})

test('a look-up that hangs is given up', async () => {
  const lookup = () => new Promise<never>(() => {})
  const send = createSender({ allow_private: true, timeout_ms: 100, lookup })
  expect(await send(message('http://tickets.example/'))).toEqual({ error: 'no answer within 0.1 s' })
})

test('of a body without end little is read', async () => {
  let written = 0
  const ended = Promise.withResolvers<void>()
  const endless = await startReceiver(() => (_request, response) => {
    response.writeHead(200)
    response.once('close', () => ended.resolve())
    const write = () => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024))) written++
      response.once('drain', write)
    }
    write()
  })
  const send = createSender({ allow_private: true })
  expect(await send(message(endless.url))).toEqual({ status: 200 })
  await ended.promise
  expect(written).toBeLessThan(1000)
})
