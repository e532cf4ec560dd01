import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { tlsFile } from '../../tests/support/tls-files.ts'
import { createListeners } from './listeners.ts'

const cert = readFileSync(tlsFile('localhost.pem'))
const key = readFileSync(tlsFile('localhost-key.pem'))
const HOST = '127.0.0.1'

test('a connection that is not encrypted when the listeners close is not taken any more', async () => {
  const taken: Socket[] = []
  const taking = Promise.withResolvers<void>()
  const listeners = createListeners({ cert, key }, (socket) => {
    taken.push(socket)
    taking.resolve()
  })
  const port = await listeners.listen({ host: HOST, port: 0 })
  const late = connect(port, HOST)
  await once(late, 'connect')
  // Connections are accepted in turn, so the one before it was too.
  const open = connectTls({ port, host: HOST, ca: cert, servername: 'localhost', ALPNProtocols: ['h2'] })
  onTestFinished(() => void open.destroy())
  await taking.promise

  const closing = listeners.close()
  const encrypting = connectTls({ socket: late, ca: cert, servername: 'localhost', ALPNProtocols: ['h2'] })
  await expect(once(encrypting, 'secureConnect')).rejects.toThrow('disconnected before secure TLS connection')
  expect(taken).toHaveLength(1)
  open.end()
  taken[0]!.end()
  await closing
})
