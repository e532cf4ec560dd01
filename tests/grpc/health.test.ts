import { once } from 'node:events'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import type { MessageShape } from '@bufbuild/protobuf'
import { Client, credentials, status as Status } from '@grpc/grpc-js'
import type { ServiceError } from '@grpc/grpc-js'
import { afterAll, expect, onTestFinished, test } from 'vitest'
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

function watch(name: string, caller = client) {
  const stream = caller.makeServerStreamRequest(
    '/grpc.health.v1.Health/Watch',
    (message: MessageShape<typeof HealthCheckRequestSchema>) =>
      Buffer.from(toBinary(HealthCheckRequestSchema, message)),
    (bytes) => fromBinary(Health.method.watch.output, bytes),
    create(HealthCheckRequestSchema, { service: name }),
  )
  // A call that is cancelled ends by an error.
  return stream.on('error', () => {})
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

test('a name that is longer than what an error may tell is not found either', async () => {
  const error = await check('x'.repeat(900_000)).catch((failure: ServiceError) => failure)
  expect(error).toMatchObject({ code: Status.NOT_FOUND })
})

test.each([
  ['', ServingStatus.SERVING],
  ['v3.Nothing', ServingStatus.SERVICE_UNKNOWN],
])('a watch of "%s" tells the status at once', async (name, status) => {
  const stream = watch(name)
  onTestFinished(() => stream.cancel())
  expect(await once(stream, 'data')).toMatchObject([{ status }])
})

test('a watch ends when the service stops', async () => {
  const other = await startService({ database })
  const caller = new Client(other.grpc_address, credentials.createInsecure())
  onTestFinished(() => caller.close())
  const stream = watch('', caller)
  await once(stream, 'data')
  const ended = once(stream, 'end')
  await other.close()
  await ended
})
