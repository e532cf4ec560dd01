/** Calls of the listing service that must fail, and how. */
import { status as Status } from '@grpc/grpc-js'
import type { Lister } from './lister.ts'

/** Has the form of an id and is nobody's. */
const UNKNOWN_ID = '0'.repeat(24)
const WRONG_KEY = 'no-such-key'

export async function playListingMistakes(lister: Lister): Promise<void> {
  await lister.refuse({
    step: 'Seats of an unknown event',
    method: 'seats',
    request: { event: UNKNOWN_ID },
    status: Status.NOT_FOUND,
  })
  await lister.refuse({
    step: 'Seats of no event',
    method: 'seats',
    request: {},
    status: Status.INVALID_ARGUMENT,
  })
  await lister.refuse({
    step: 'A wrong key',
    method: 'events',
    request: {},
    key: WRONG_KEY,
    status: Status.UNAUTHENTICATED,
  })
}
