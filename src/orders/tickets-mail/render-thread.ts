/** The thread of `createRenderer`: answers each request with the document's bytes, or with what went wrong. */
import assert from 'node:assert/strict'
import { parentPort } from 'node:worker_threads'
import type { RenderAnswer, RenderRequest } from './renderer.ts'
import { renderTickets } from './render-tickets.ts'

const port = parentPort
assert(port, 'this runs as a worker thread')

port.on('message', ({ id, sheets, about }: RenderRequest) => {
  const answer = (message: RenderAnswer) => port.postMessage(message)
  renderTickets(sheets, about).then(
    (pdf) => answer({ id, pdf }),
    (error: unknown) => answer({ id, error }),
  )
})
