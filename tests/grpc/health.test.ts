import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import type { MessageShape } from '@bufbuild/protobuf'
import { Client, credentials, status as Status } from '@grpc/grpc-js'
import type { ServiceError } from '@grpc/grpc-js'
import { afterAll, expect, test } from 'vitest'
import {
  Health,
  HealthCheckRequestSchema,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '../../src/grpc/generated/grpc/health_pb.js'
import { HealtzRequestSchema, Simple as SimpleV2 } from '../../src/grpc/generated/v2_pb.js'
import { createTestDatabase } from '../support/database.ts'
import { startService } from '../support/service.ts'

const database = await createTestDatabase()
const service = await startService({ database })
const client = new Client(service.grpc_address, credentials.createInsecure())
afterAll(() => client.close())

type UnaryMethod = typeof Health.method.check | typeof Health.method.list | typeof SimpleV2.method.healtz

/** Answers the message, or throws the ServiceError. */
function call<Method extends UnaryMethod>(
  method: Method,
  request: MessageShape<Method['input']>,
): Promise<MessageShape<Method['output']>> {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest<MessageShape<Method['input']>, MessageShape<Method['output']>>(
      `/${method.parent.typeName}/${method.name}`,
      (message) => Buffer.from(toBinary(method.input, message)),
      (bytes) => fromBinary(method.output, bytes) as MessageShape<Method['output']>,
      request,
      (error, answer) => (error ? reject(error) : resolve(answer!)),
    )
  })
}

const check = (name: string) => call(Health.method.check, create(HealthCheckRequestSchema, { service: name }))

function watch(name: string) {
  return client.makeServerStreamRequest(
    '/grpc.health.v1.Health/Watch',
    (message: MessageShape<typeof HealthCheckRequestSchema>) =>
      Buffer.from(toBinary(HealthCheckRequestSchema, message)),
    (bytes) => fromBinary(Health.method.watch.output, bytes),
    create(HealthCheckRequestSchema, { service: name }),
  )
}

test.each(['', 'v3.Simple', 'v2.Simple', 'Simple'])('"%s" is serving', async (name) => {
  expect(await check(name)).toMatchObject({ status: ServingStatus.SERVING })
})

test('a service that is not there is not found', async () => {
  const error = await check('v3.Nothing').catch((failure: ServiceError) => failure)
  expect(error).toMatchObject({ code: Status.NOT_FOUND })
})

test('all are listed', async () => {
  const { statuses } = await call(Health.method.list, create(Health.method.list.input))
  expect(Object.keys(statuses).toSorted()).toEqual(['', 'Simple', 'v2.Simple', 'v3.Simple'])
})

test('the older name has Healtz', async () => {
  const answer = await call(SimpleV2.method.healtz, create(HealtzRequestSchema))
  expect(answer).toMatchObject({ status: 'ok' })
})

test('a watch tells the status at once, and ends when the service stops', async () => {
  const other = await startService({ database })
  const other_client = new Client(other.grpc_address, credentials.createInsecure())
  afterAll(() => other_client.close())
  const stream = watch('')
  const first = await new Promise((resolve) => stream.once('data', resolve))
  expect(first).toMatchObject({ status: ServingStatus.SERVING })
  stream.on('error', () => {})
  stream.cancel()
  const unknown = watch('v3.Nothing')
  const told = await new Promise((resolve) => unknown.once('data', resolve))
  expect(told).toMatchObject({ status: ServingStatus.SERVICE_UNKNOWN })
  unknown.on('error', () => {})
  unknown.cancel()
})
