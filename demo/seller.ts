/** A seller's client of the REST API that shows every request and answer, and checks every answer. */
import { CannotPlay, type Judge } from './judge.ts'
import { pretty } from './pretty.ts'
import type { Shape } from './shapes.ts'

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
} & Pick<Judge, 'judge'>

export type SellerOptions = { url: string; key: string; judge: Judge }

export function createSeller({ url, key, judge }: SellerOptions): Seller {
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
    judge.judgeAnswer(step, faultsOf(wish, { response, answer }))
    return answer as T
  }

  return { send, judge: judge.judge }

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
