import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import type { DescMethod, DescService, Message, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import { afterAll, onTestFinished } from 'vitest'
import { Simple } from '../../src/grpc/generated/service_pb.js'

type Methods = (typeof Simple)['method']
type Method = keyof Methods
type Request<Name extends Method> = MessageInitShape<Methods[Name]['input']>
type Answer<Name extends Method> = MessageShape<Methods[Name]['output']>

export type GrpcClientOptions = {
  /** Host and port. */
  address: string
  /** Sent as `key <key>`. */
  key?: string | undefined
  /** Trusted certificates, PEM; with them the client speaks TLS. */
  ca?: Buffer | undefined
  /** Further metadata. */
  metadata?: Record<string, string>
  /** The service that is called, which has the methods of v3.Simple. */
  service?: DescService
}

export type GrpcClient = ReturnType<typeof createGrpcClient>

/** A seller's client of the listing service, by the committed schema. It is closed at the end of the test, file or `describe`. */
export function createGrpcClient({ address, key, ca, metadata, service = Simple }: GrpcClientOptions) {
  const security = ca === undefined ? credentials.createInsecure() : credentials.createSsl(ca)
  // A connection of its own: the library shares one among the clients of an address.
  const client = new Client(address, security, { 'grpc.use_local_subchannel_pool': 1 })
  closeWith(() => client.close())

  /** The call itself; messages come as `data`. */
  function open<Name extends Method>(name: Name, request: Request<Name> = {} as Request<Name>) {
    const { name: method, input, output }: DescMethod = Simple.method[name]
    return client.makeServerStreamRequest(
      `/${service.typeName}/${method}`,
      (message: Message) => Buffer.from(toBinary(input, message)),
      (bytes) => fromBinary(output, bytes) as Answer<Name>,
      create(input, request),
      metadataOf({ ...(key === undefined ? {} : { authorization: `key ${key}` }), ...metadata }),
    )
  }

  return {
    open,
    /** All messages of a call; throws its ServiceError. */
    list: async <Name extends Method>(name: Name, request?: Request<Name>): Promise<Answer<Name>[]> =>
      Array.fromAsync<Answer<Name>>(open(name, request)),
    /** The status and text that a call fails with; throws when it does not fail. */
    async refusal<Name extends Method>(
      name: Name,
      request?: Request<Name>,
    ): Promise<{ code: number; details: string }> {
      const outcome = await Array.fromAsync(open(name, request)).catch((error: ServiceError) => error)
      if (Array.isArray(outcome)) throw new Error(`the call answered ${outcome.length} messages`)
      return { code: outcome.code, details: outcome.details }
    },
  }
}

function metadataOf(fields: Record<string, string>): Metadata {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(fields)) metadata.set(name, value)
  return metadata
}

function closeWith(close: () => void): void {
  try {
    onTestFinished(close)
  } catch {
    afterAll(close)
  }
}
