/** A seller's client of the gRPC listing service that shows every call and answer, and checks every answer. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createSecureContext } from 'node:tls'
import { create, fromBinary, toBinary, toJson } from '@bufbuild/protobuf'
import type { DescMessage, DescMethod, Message, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { Client, credentials, Metadata, status as Status } from '@grpc/grpc-js'
import type { ServiceError } from '@grpc/grpc-js'
import { Simple } from '../src/grpc/generated/service_pb.js'
import { same } from './checks.ts'
import { CannotPlay, type Judge } from './judge.ts'
import { pretty } from './pretty.ts'

type Methods = (typeof Simple)['method']
type Method = keyof Methods
type Request<Name extends Method> = MessageInitShape<Methods[Name]['input']>
type Answer<Name extends Method> = MessageShape<Methods[Name]['output']>

/** What the listing service tells is not older. */
const STALE_MAX_MS = 1000
const POLL_MS = 50
const DEADLINE_MS = 30_000

type CallOf<Name extends Method> = {
  /** What happens, in the words of the document. */
  step: string
  method: Name
  request: Request<Name>
  /** Metadata of the call, besides the key. */
  metadata?: Record<string, string>
}

export type Call<Name extends Method> = CallOf<Name> & {
  /** Asked again for a second at most until this holds: a change shows so long after it was made. */
  until?: ((messages: readonly Answer<Name>[]) => boolean) | undefined
  /** What is wrong with the messages. */
  check: (messages: readonly Answer<Name>[]) => string[]
}

export type Mistake<Name extends Method> = CallOf<Name> & {
  status: Status
  /** Instead of the seller's. */
  key?: string
}

export type Lister = {
  /** Answers all messages. Throws NotAsDocumented, or CannotPlay when there is no answer. */
  list<Name extends Method>(call: Call<Name>): Promise<Answer<Name>[]>
  /** Makes a call that must fail with the status. */
  refuse<Name extends Method>(mistake: Mistake<Name>): Promise<void>
  close(): void
}

export type ListerOptions = {
  /** Host and port. */
  address: string
  key: string
  /** Whether the service speaks TLS. */
  is_secure: boolean
  judge: Judge
}

export function createLister({ address, key, is_secure, judge }: ListerOptions): Lister {
  // The certificates that requests trust, of NODE_EXTRA_CA_CERTS too; those of createSsl may be others.
  const security = is_secure
    ? credentials.createFromSecureContext(createSecureContext())
    : credentials.createInsecure()
  const client = new Client(address, security)

  function show(call: CallOf<Method>): void {
    const { name, input }: DescMethod = Simple.method[call.method]
    const shown = Object.entries(call.metadata ?? {}).map(([field, value]) => `\n${field}: ${value}`)
    const request = pretty(toReadable(input, create(input, call.request), { is_whole: false }))
    console.log(`\n# ${call.step}\n${Simple.typeName}/${name}${shown.join('')}\n${request}`)
  }

  async function ask<Name extends Method>(
    { method, request, metadata = {} }: CallOf<Name>,
    authorization = `key ${key}`,
  ): Promise<Outcome<Name>> {
    const { name, input, output }: DescMethod = Simple.method[method]
    let bytes = 0
    const call = client.makeServerStreamRequest(
      `/${Simple.typeName}/${name}`,
      (message: Message) => Buffer.from(toBinary(input, message)),
      (encoded) => {
        bytes += encoded.length
        return fromBinary(output, encoded) as Answer<Name>
      },
      create(input, request),
      metadataOf({ ...metadata, authorization }),
      { deadline: Date.now() + DEADLINE_MS },
    )
    try {
      const messages = await Array.fromAsync<Answer<Name>>(call)
      return { code: Status.OK, details: '', messages, bytes }
    } catch (error) {
      const { code, details } = error as ServiceError
      if (code === Status.UNAVAILABLE || code === Status.DEADLINE_EXCEEDED) throw noAnswer(address, details)
      return { code, details, messages: [], bytes }
    }
  }

  /** The first outcome that is as it should be, else that of a call that began when all must have been seen. */
  async function askUntil<Name extends Method>(
    call: Call<Name>,
  ): Promise<{ outcome: Outcome<Name>; asked: string }> {
    const began = performance.now()
    for (let times = 1; ; times++) {
      const waited = performance.now() - began
      const outcome = await ask(call)
      const is_last = outcome.code !== Status.OK || waited >= STALE_MAX_MS
      if (is_last || !call.until || call.until(outcome.messages)) {
        const asked =
          times === 1 ? '' : `, asked ${times} times in ${Math.round(performance.now() - began)} ms`
        return { outcome, asked }
      }
      await sleep(POLL_MS)
    }
  }

  return {
    async list(call) {
      show(call)
      const { outcome, asked } = await askUntil(call)
      const { code, messages, bytes } = outcome
      const { output }: DescMethod = Simple.method[call.method]
      console.log(
        `\n${describe(outcome)}, ${counted(messages.length, 'message')}, ${counted(bytes, 'byte')}${asked}`,
      )
      if (code === Status.OK)
        console.log(pretty(messages.map((message) => toReadable(output, message, { is_whole: true }))))
      const faults = sameStatus(outcome, Status.OK)
      judge.judgeAnswer(call.step, faults.length > 0 ? faults : call.check(messages))
      return messages
    },
    async refuse({ status, key: wrong_key, ...call }) {
      show(call)
      const outcome = await ask(call, wrong_key && `key ${wrong_key}`)
      console.log(`\n${describe(outcome)}`)
      judge.judgeAnswer(call.step, sameStatus(outcome, status))
    },
    close: () => client.close(),
  }
}

type Outcome<Name extends Method> = {
  code: Status
  details: string
  messages: Answer<Name>[]
  bytes: number
}

function describe({ code, details }: { code: Status; details: string }): string {
  return details === '' ? Status[code] : `${Status[code]}: ${details}`
}

function sameStatus({ code }: { code: Status }, wanted: Status): string[] {
  return same('the status', Status[code], Status[wanted])
}

function counted(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`
}

function metadataOf(fields: Record<string, string>): Metadata {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(fields)) metadata.set(name, value)
  return metadata
}

/** By the names that the schema has. `is_whole`: also the fields at their defaults, which are absent on the wire. */
function toReadable(schema: DescMessage, message: Message, { is_whole }: { is_whole: boolean }): unknown {
  return toJson(schema, message, { useProtoFieldName: true, alwaysEmitImplicit: is_whole })
}

function noAnswer(address: string, details: string): CannotPlay {
  return new CannotPlay(
    `no answer by gRPC from ${address} (${details}): start the service with \`npm start\`, name its address with --grpc, or take the ids from version 1 with --v1`,
  )
}
