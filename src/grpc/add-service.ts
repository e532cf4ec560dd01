import { fromBinary, toBinary } from '@bufbuild/protobuf'
import type { DescMethod, DescService, Message } from '@bufbuild/protobuf'
import type { MethodDefinition, Server, UntypedServiceImplementation } from '@grpc/grpc-js'

/** How requests are read and answers are written. */
type Codec = { deserialize(bytes: Buffer): unknown; serialize(message: unknown): Buffer }

export type Implementation = {
  /** By name of the method. */
  handlers: Readonly<Record<string, unknown>>
  codecOf: (method: DescMethod) => Codec
}

/** Lets the server answer the methods of a service of the schema. */
export function addService(
  server: Server,
  service: DescService,
  { handlers, codecOf }: Implementation,
): void {
  const definitions = service.methods.map((method) => [
    method.name,
    definitionOf(`/${service.typeName}/${method.name}`, method, codecOf(method)),
  ])
  server.addService(Object.fromEntries(definitions), handlers as UntypedServiceImplementation)
}

function definitionOf(
  path: string,
  { methodKind: kind }: DescMethod,
  { deserialize, serialize }: Codec,
): MethodDefinition<unknown, unknown> {
  return {
    path,
    requestStream: kind === 'bidi_streaming' || kind === 'client_streaming',
    responseStream: kind === 'bidi_streaming' || kind === 'server_streaming',
    requestDeserialize: deserialize,
    responseSerialize: serialize,
    // Of clients, which a server is not.
    requestSerialize: serialize,
    responseDeserialize: deserialize,
  }
}

/** Requests and answers as they are on the wire. */
export const WIRE: Codec = { deserialize: (bytes) => bytes, serialize: (message) => message as Buffer }

/** The messages of a method. */
export function messagesOf({ input, output }: DescMethod): Codec {
  return {
    deserialize: (bytes) => fromBinary(input, bytes),
    serialize: (message) => Buffer.from(toBinary(output, message as Message)),
  }
}
