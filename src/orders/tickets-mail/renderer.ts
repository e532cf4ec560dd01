import { Worker } from 'node:worker_threads'
import type { TicketSheet } from './ticket-sheet.ts'

/** `title` and `lang` are for the document's reader program. */
export type About = { readonly title: string; readonly lang: string }

export type RenderRequest = { id: number; sheets: readonly TicketSheet[]; about: About }
export type RenderAnswer = { id: number; pdf: Uint8Array } | { id: number; error: unknown }

/** Makes the PDF of tickets beside the thread that sells: ten tickets take it some 100 ms. */
export type Renderer = {
  /** The bytes of a PDF, a page for each sheet. */
  render(sheets: readonly TicketSheet[], about: About): Promise<Uint8Array>
  /** What is being rendered fails. */
  close(): Promise<void>
}

type Waiting = { resolve(pdf: Uint8Array): void; reject(error: unknown): void }
type Thread = { worker: Worker; waiting: Map<number, Waiting> }

/** The thread begins with the first request and ends `idle_ms` after the last, so that its memory is given back. */
export function createRenderer({ idle_ms = 30_000 }: { idle_ms?: number } = {}): Renderer {
  let thread: Thread | undefined
  let idle: NodeJS.Timeout | undefined
  let requests = 0

  function start(): Thread {
    const worker = new Worker(new URL('./render-thread.ts', import.meta.url), {
      name: 'tickets',
      // A small young generation is collected often; a document of 1,000 tickets fits.
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 },
    })
    const started: Thread = { worker, waiting: new Map() }
    const fail = (error: unknown) => {
      if (thread === started) thread = undefined
      for (const { reject } of started.waiting.values()) reject(error)
      started.waiting.clear()
    }
    worker.on('message', (answer: RenderAnswer) => {
      const waiting = started.waiting.get(answer.id)
      started.waiting.delete(answer.id)
      if ('pdf' in answer) waiting?.resolve(answer.pdf)
      else waiting?.reject(answer.error)
      if (started.waiting.size === 0) rest()
    })
    worker.on('error', fail)
    worker.on('exit', () => fail(new Error('the thread that renders tickets has ended')))
    return started
  }

  function rest(): void {
    clearTimeout(idle)
    idle = setTimeout(() => void close(), idle_ms)
    idle.unref()
    thread?.worker.unref()
  }

  async function close(): Promise<void> {
    clearTimeout(idle)
    const ended = thread
    thread = undefined
    await ended?.worker.terminate()
  }

  return {
    render: (sheets, about) =>
      new Promise((resolve, reject) => {
        clearTimeout(idle)
        thread ??= start()
        thread.worker.ref()
        const request: RenderRequest = { id: requests++, sheets, about }
        thread.waiting.set(request.id, { resolve, reject })
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
        thread.worker.postMessage(request)
      }),
    close,
  }
}
