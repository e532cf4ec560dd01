/** A client that knows nothing but the address: it learns the schema by reflection, with protobufjs, and calls by it. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import type { DescService, MessageInitShape } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { Client, credentials, loadPackageDefinition, Metadata, status as Status } from '@grpc/grpc-js'
import type { ClientReadableStream } from '@grpc/grpc-js'
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader'
import { expect, onTestFinished, test } from 'vitest'
import { ServerReflection as ReflectionV1 } from '../../src/grpc/generated/grpc/reflection_v1_pb.js'
import {
  ServerReflectionRequestSchema,
  ServerReflectionResponseSchema,
} from '../../src/grpc/generated/grpc/reflection_v1_pb.js'
import type { ServerReflectionResponse } from '../../src/grpc/generated/grpc/reflection_v1_pb.js'
import { ServerReflection as ReflectionV1Alpha } from '../../src/grpc/generated/grpc/reflection_v1alpha_pb.js'
import { createTestDatabase } from '../support/database.ts'
import { importWorld } from '../support/makers.ts'
import { startService } from '../support/service.ts'

const database = await createTestDatabase()
const { id, key } = await importWorld(database)
const { grpc_address: address } = await startService({ database })

const SERVICES = [
  'Simple',
  'grpc.health.v1.Health',
  'grpc.reflection.v1.ServerReflection',
  'grpc.reflection.v1alpha.ServerReflection',
  'v2.Simple',
  'v3.Simple',
]

type Question = NonNullable<MessageInitShape<typeof ServerReflectionRequestSchema>['messageRequest']>

/** The answers to the questions, all asked in one call. */
async function reflect(
  questions: readonly Question[],
  service: DescService = ReflectionV1,
): Promise<ServerReflectionResponse['messageResponse'][]> {
  const client = new Client(address, credentials.createInsecure())
  onTestFinished(() => client.close())
  const call = client.makeBidiStreamRequest(
    `/${service.typeName}/ServerReflectionInfo`,
    (question: Question) => {
      const request = create(ServerReflectionRequestSchema, { host: 'any', messageRequest: question })
      return Buffer.from(toBinary(ServerReflectionRequestSchema, request))
    },
    (bytes) => fromBinary(ServerReflectionResponseSchema, bytes),
  )
  for (const question of questions) call.write(question)
  call.end()
  return (await Array.fromAsync<ServerReflectionResponse>(call)).map((response) => response.messageResponse)
}

/** The descriptors of the file that has the symbol, and of what it imports. */
async function filesOf(symbol: string): Promise<Uint8Array[]> {
  const [answer] = await reflect([{ case: 'fileContainingSymbol', value: symbol }])
  if (answer?.case !== 'fileDescriptorResponse') throw new Error(`${symbol} is not described`)
  return answer.value.fileDescriptorProto
}

/** Streams `method` of `service` with what only reflection tells of it. */
async function callByReflection(
  service: string,
  method: string,
  request: object,
): Promise<Record<string, unknown>[]> {
  const file = (await filesOf(service)).map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes))
  const set = toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file }))
  const definition = loadFileDescriptorSetFromBuffer(Buffer.from(set), {
    keepCase: true,
    enums: String,
    defaults: true,
  })
  let found: unknown = loadPackageDefinition(definition)
  for (const part of service.split('.')) found = (found as Record<string, unknown>)[part]
  const ServiceClient = found as ConstructorParameters<typeof Client> extends infer Args extends unknown[]
    ? new (...args: Args) => Client & Record<string, Method>
    : never
  const client = new ServiceClient(address, credentials.createInsecure())
  onTestFinished(() => client.close())
  const metadata = new Metadata()
  metadata.set('authorization', key('vendor'))
  return Array.fromAsync(client[method]!(request, metadata))
}

type Method = (request: object, metadata: Metadata) => ClientReadableStream<Record<string, unknown>>

test.each([ReflectionV1, ReflectionV1Alpha])('$typeName lists what is served', async (service) => {
  const [answer] = await reflect([{ case: 'listServices', value: '*' }], service)
  const names = answer?.case === 'listServicesResponse' ? answer.value.service.map(({ name }) => name) : []
  expect(names.toSorted()).toEqual(SERVICES)
})

test.each(SERVICES)('%s is described with all that it imports', async (service) => {
  const files = (await filesOf(service)).map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes))
  const names = files.map((file) => file.name)
  expect(new Set(names).size).toBe(names.length)
  expect(files.flatMap((file) => file.dependency).filter((name) => !names.includes(name))).toEqual([])
})

test('files, types, fields and methods are found by name; the rest is not found', async () => {
  const kinds = await reflect([
    { case: 'fileByFilename', value: 'events.proto' },
    { case: 'fileContainingSymbol', value: 'v3.Event.TicketSet.Rule' },
    { case: 'fileContainingSymbol', value: 'v3.Seat.ticket_reserved_till' },
    { case: 'fileContainingSymbol', value: 'v3.Simple.Seats' },
    { case: 'allExtensionNumbersOfType', value: 'v3.Event' },
  ])
  expect(kinds.map((answer) => answer.case)).toEqual([
    ...Array.from({ length: 4 }, () => 'fileDescriptorResponse'),
    'allExtensionNumbersResponse',
  ])
  const refusals = await reflect([
    { case: 'fileByFilename', value: 'nothing.proto' },
    { case: 'fileContainingSymbol', value: 'v3.Nothing' },
    { case: 'allExtensionNumbersOfType', value: 'v3.Nothing' },
    { case: 'fileContainingExtension', value: { containingType: 'v3.Event', extensionNumber: 1 } },
    { case: undefined },
  ])
  expect(refusals.map((answer) => (answer.case === 'errorResponse' ? answer.value.errorCode : 0))).toEqual([
    ...Array.from({ length: 4 }, () => Status.NOT_FOUND),
    Status.INVALID_ARGUMENT,
  ])
})

test.each(['v3.Simple', 'v2.Simple', 'Simple'])(
  'a client made from what reflection tells of %s lists events and seats',
  async (service) => {
    const events = await callByReflection(service, 'Events', { ids: [id('event')] })
    expect(events).toMatchObject([{ id: id('event'), name: 'Event event', status: 'PUBLIC' }])
    const seats = await callByReflection(service, 'Seats', { event: id('event'), row: '2' })
    expect(seats).toHaveLength(10)
    expect(seats[0]).toMatchObject({ row: '2', number: '1', status: 'VACANT', set: id('seats') })
  },
)
