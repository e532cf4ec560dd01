/**
 * The plain way to stream seats, to compare with: a server of @grpc/grpc-js that has the seats as objects, encodes each one
 * and writes it by itself, waiting when it is told to. Without keys, database and statuses. Run as a process of its own:
 * `plain-seats-server.ts <seats>` writes its port.
 */
import { once } from 'node:events'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import type { ServerWritableStream } from '@grpc/grpc-js'
import { SeatSchema, SeatsRequestSchema } from '../../src/grpc/generated/seats_pb.js'
import type { Seat, SeatsRequest } from '../../src/grpc/generated/seats_pb.js'

const ID = '0123456789abcdef01234567'
const SEATS_A_ROW = 500

const seats = Array.from({ length: Number(process.argv[2]) }, (_seat, index) =>
  create(SeatSchema, {
    sector: ID,
    row: String(Math.floor(index / SEATS_A_ROW) + 1),
    number: String((index % SEATS_A_ROW) + 1),
    event: ID,
    set: ID,
    ticket: index.toString(16).padStart(ID.length, '0'),
  }),
)

async function stream(call: ServerWritableStream<SeatsRequest, Seat>): Promise<void> {
  for (const seat of seats) if (!call.write(seat)) await once(call, 'drain')
  call.end()
}

const server = new Server()
server.addService(
  {
    Seats: {
      path: '/v3.Simple/Seats',
      requestStream: false,
      responseStream: true,
      requestSerialize: (request: SeatsRequest) => Buffer.from(toBinary(SeatsRequestSchema, request)),
      requestDeserialize: (bytes: Buffer) => fromBinary(SeatsRequestSchema, bytes),
      responseSerialize: (seat: Seat) => Buffer.from(toBinary(SeatSchema, seat)),
      responseDeserialize: (bytes: Buffer) => fromBinary(SeatSchema, bytes),
    },
  },
  { Seats: (call: ServerWritableStream<SeatsRequest, Seat>) => void stream(call) },
)
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error
  process.stdout.write(`${port}\n`)
})
