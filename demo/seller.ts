/** A seller's client that shows every request and answer, and checks every answer. */
import type { Shape } from './shapes.ts'
import { pretty } from './pretty.ts'

/** The demo cannot be played at all; the message says why and what to do. */
export class CannotPlay extends Error {}

/** An answer was not as documented: shown already, and what follows from it cannot be played. */
export class NotAsDocumented extends Error {}

export type Wish<T> = {
  /** What happens, in the words of the document. */
  step: string
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  body?: object
  headers?: Record<string, string>
  /** One of these, when there are several. */
  status: number | readonly number[]
  answer: Shape<T>
  /** What else is wrong with an answer of the right form. */
  check?: (answer: T, headers: Headers) => string[]
}

export type Seller = {
  /** Answers the body. Throws NotAsDocumented, or CannotPlay when there is no answer. */
  send<T>(wish: Wish<T>): Promise<T>
  /** Shows what is wrong with something, or that nothing is. Throws NotAsDocumented. */
  judge(step: string, faults: readonly string[]): void
  counts(): { answers: number; faulty: number }
}

export function createSeller({ url, key }: { url: string; key: string }): Seller {
  let answers = 0
  let faulty = 0

  async function send<T>(wish: Wish<T>): Promise<T> {
    const { step, method, path, headers = {}, body } = wish
    const shown = Object.entries(headers).map(([name, value]) => `\n${name}: ${value}`)
    console.log(`\n# ${step}\n${method} ${path}${shown.join('')}${body ? `\n${pretty(body)}` : ''}`)
    const response = await request(url + path, {
      method,
      headers: {
        authorization: `key ${key}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const answer = parse(text)
    const size = text.length.toLocaleString('en')
    console.log(`\n${response.status} ${response.statusText}, ${size} characters`)
    console.log(answer === undefined ? text.slice(0, 2000) : pretty(answer))
    answers++
    judge(step, faultsOf(wish, { response, answer }))
    return answer as T
  }

  function judge(step: string, faults: readonly string[]): void {
    if (faults.length === 0) return console.log('ok')
    faulty++
    for (const fault of faults) console.log(`NOT AS DOCUMENTED: ${fault}`)
    throw new NotAsDocumented(step)
  }

  return { send, judge, counts: () => ({ answers, faulty }) }

  async function request(address: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(address, init)
    } catch (error) {
      const { message, cause } = error as Error
      const { code = message } = Object(cause) as { code?: string }
      throw new CannotPlay(
        `no answer from ${url} (${code}): start the service with \`npm start\`, or name its address with --url`,
      )
    }
  }
}

function faultsOf<T>(wish: Wish<T>, { response, answer }: { response: Response; answer: unknown }): string[] {
  const statuses = [wish.status].flat()
  if (!statuses.includes(response.status))
    return [`the status must be ${statuses.join(' or ')}, is ${response.status}`]
  const type = response.headers.get('content-type') ?? 'none'
  if (!/^application\/json\b/.test(type)) return [`Content-Type must be application/json, is ${type}`]
  if (answer === undefined) return ['the body must be JSON']
  const faults = wish.answer(answer, Array.isArray(answer) ? '' : 'body')
  if (faults.length > 0) return faults
  return wish.check?.(answer as T, response.headers) ?? []
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
