/** Sends the POST of a webhook to an address that a partner chose, and believes nothing about it. */
import { lookup as dnsLookup } from 'node:dns/promises'
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { urlToHttpOptions } from 'node:url'
import { isPublicAddress } from './public-address.ts'

/** Of a body only its end is waited for, so that the receiver is not cut off while it answers. */
const BODY_MAX_BYTES = 64 * 1024

const FIRST_FREE_PORT = 1024
const WELL_KNOWN_PORTS: ReadonlySet<number> = new Set([80, 443])

export type Message = { url: string; headers: Readonly<Record<string, string>>; body: string }

/** The status of the answer, whatever it is: none is followed anywhere. Or, when there was none, why, for people. */
export type Outcome = { status: number } | { error: string }

export type Send = (message: Message) => Promise<Outcome>

type Address = { address: string; family: number }

export type SenderOptions = {
  /** Lets webhooks reach addresses that are not public. */
  allow_private: boolean
  /** From the look-up of the host to the end of the answer. */
  timeout_ms?: number
  lookup?: (hostname: string) => Promise<Address[]>
}

/**
 * The sender. It resolves the host itself and connects to the very addresses that it has checked, so that a name cannot
 * mean another address a moment later. A name with any address that is not public is refused as a whole. Ports are 80,
 * 443 and those from 1024 on. Proxies of the environment are not used. Every message has a connection of its own.
 */
export function createSender({
  allow_private,
  timeout_ms = 10_000,
  lookup = (hostname) => dnsLookup(hostname, { all: true }),
}: SenderOptions): Send {
  async function resolve(url: URL): Promise<Address[]> {
    const port = Number(url.port)
    if (url.port !== '' && port < FIRST_FREE_PORT && !WELL_KNOWN_PORTS.has(port))
      throw new Refused(`port ${port} is not allowed`)
    // Brackets are of the URL, not of the address.
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    const family = isIP(host)
    const found = family === 0 ? await lookup(host) : [{ address: host, family }]
    if (!allow_private && !found.every(({ address }) => isPublicAddress(address)))
      throw new Refused('the address is not a public one')
    return found
  }

  return async ({ url: text, headers, body }) => {
    const deadline = AbortSignal.timeout(timeout_ms)
    try {
      const url = new URL(text)
      const addresses = await before(deadline, resolve(url))
      const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)({
        ...urlToHttpOptions(url),
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        lookup: only(addresses),
        agent: false,
        signal: deadline,
      })
      request.end(body)
      return { status: await statusOf(request) }
    } catch (error) {
      return { error: deadline.aborted ? `no answer within ${timeout_ms / 1000} s` : reasonOf(error) }
    }
  }
}

class Refused extends Error {}

/** A look-up that knows these addresses and nothing else. */
function only(addresses: readonly Address[]): LookupFunction {
  return (_hostname, { all }, callback) => {
    const [first] = addresses
    if (first === undefined) callback(Object.assign(new Error(), { code: 'ENOTFOUND' }), '')
    else if (all) callback(null, [...addresses])
    else callback(null, first.address, first.family)
  }
}

/** Resolves with the status once the answer has ended, or was cut off after its headers. */
function statusOf(request: ClientRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    let received: IncomingMessage | undefined
    request.once('response', (response) => {
      received = response
      let bytes = 0
      response.on('error', () => {})
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > BODY_MAX_BYTES) request.destroy()
      })
    })
    request.on('error', (error) => {
      if (received === undefined) reject(error)
    })
    request.once('close', () => {
      if (received?.statusCode === undefined) reject(new Error('the connection ended without an answer'))
      else resolve(received.statusCode)
    })
  })
}

async function before<T>(deadline: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(deadline.reason as Error)
  deadline.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    deadline.removeEventListener('abort', onAbort)
  }
}

/** ENOTFOUND, ECONNREFUSED and the like say enough. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}
