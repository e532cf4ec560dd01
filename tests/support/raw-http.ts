import { connect } from 'node:net'

export type RawAnswer = { status: number; head: string; body: string }

/** Sends bytes to a port on 127.0.0.1 and reads until the server closes the connection, or a whole answer has come. */
export function sendRaw(port: number, request: string | Buffer): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    let text = ''
    const finish = () => {
      const end = text.indexOf('\r\n\r\n')
      if (end < 0) return reject(new Error(`no answer, but ${JSON.stringify(text)}`))
      socket.destroy()
      const head = text.slice(0, end)
      return resolve({ status: Number(head.slice(9, 12)), head, body: text.slice(end + 4) })
    }
    socket.setEncoding('utf8')
    socket.on('data', (data) => {
      text += data
      const length = /^content-length: (\d+)/im.exec(text)?.[1]
      const end = text.indexOf('\r\n\r\n')
      if (end >= 0 && length !== undefined && Buffer.byteLength(text.slice(end + 4)) >= Number(length))
        finish()
    })
    socket.on('end', finish)
    socket.on('error', reject)
  })
}
