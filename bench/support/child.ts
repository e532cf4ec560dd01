/** A process of the bench's own: it ends with the bench, also when that is interrupted. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** What ends the bench ends its processes, which ends the run. */
const INTERRUPTS = ['SIGINT', 'SIGTERM'] as const

export type Child = {
  pid: number
  /** What `ready` caught. */
  said: readonly string[]
  /** Ends it in order. */
  stop(): Promise<void>
}

export type ChildOptions = {
  cwd?: string
  env?: NodeJS.ProcessEnv
  /** Matches its stdout as soon as it can be used. */
  ready: RegExp
}

/** Runs `node <words>`. Throws when it ends before it is ready. */
export async function startChild(words: string[], { ready, ...options }: ChildOptions): Promise<Child> {
  const child = spawn(process.execPath, words, { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  const interrupt = () => void child.kill('SIGTERM')
  for (const signal of INTERRUPTS) process.once(signal, interrupt)
  const ended = once(child, 'exit')
  const said = await readUntil(child, ready)
  return {
    pid: child.pid!,
    said,
    async stop() {
      for (const signal of INTERRUPTS) process.off(signal, interrupt)
      child.kill('SIGTERM')
      await ended
    },
  }
}

function readUntil(child: ChildProcess, ready: RegExp): Promise<string[]> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
      const [, ...caught] = ready.exec(said) ?? []
      if (caught.length > 0) resolve(caught)
    })
    child.once('close', () => reject(new Error('a process of the bench ended before it was ready')))
  })
}
