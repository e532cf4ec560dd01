import { setImmediate as nextTurn } from 'node:timers/promises'
import { create, toBinary } from '@bufbuild/protobuf'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { listMaps, seatsOfMap } from '../events/list-maps.ts'
import type { HallMap } from '../events/list-maps.ts'
import { MapSchema } from './generated/venues_pb.js'
import type { MapsRequestSchema } from './generated/venues_pb.js'
import { listableBy } from './listable-by.ts'
import type { Listing, ListingDeps } from './listing.ts'
import { readObjectId, readObjectIds } from './read-request.ts'

/** Encoded in about a millisecond. */
const SEATS_AT_A_TIME = 1000

/** The maps of the events that the caller may sell and of its own, in the order of their ids. */
export function createMaps({ db }: ListingDeps): Listing<typeof MapsRequestSchema> {
  return async function* (request, { caller }) {
    const ids = readObjectIds('ids', request.ids)
    const venue = readObjectId('venue', request.venue)
    for await (const map of listMaps(db, { ...(await listableBy(db, caller)), ids, venue }))
      yield [await encode(map)]
  }
}

/**
 * One message, made of parts so that others are served between them: the encodings of parts, one after another, are the
 * encoding of the whole (https://protobuf.dev/programming-guides/encoding/#last-one-wins).
 */
async function encode(map: HallMap): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for (const part of partsOf(map)) {
    parts.push(toBinary(MapSchema, create(MapSchema, part)))
    await nextTurn()
  }
  return Buffer.concat(parts)
}

function* partsOf(map: HallMap): Generator<MessageInitShape<typeof MapSchema>, void, undefined> {
  const { id, name, venue, svg } = map
  yield {
    id,
    name,
    venue,
    sectors: map.sectors.map((sector) => ({
      id: sector.id,
      name: sector.name,
      withSeats: sector.with_seats,
    })),
  }
  const seats = seatsOfMap(map)
  for (let some = take(seats); some.length > 0; some = take(seats)) yield { seats: some }
  for (const [image, text] of Object.entries(svg)) yield { svg: { [image]: text } }
}

/** The next ones of an iterator, none when it has ended. */
function take<Item>(items: Iterator<Item, void>): Item[] {
  const taken: Item[] = []
  while (taken.length < SEATS_AT_A_TIME) {
    const next = items.next()
    if (next.done) break
    taken.push(next.value)
  }
  return taken
}
