/** What a seller needs to know of events and seats before it orders, whichever listing tells it. */

export type ListedSet = {
  id: string
  with_seats: boolean
  amount_vacant: number
  /** The price in force, hundredths. */
  price: bigint
}

export type ListedEvent = {
  id: string
  name: string
  amount_vacant: number
  /** The fee on top of nominal, such as `4%`. */
  extra: string
  sets: ListedSet[]
}

/** A ticket with a seat. */
export type ListedSeat = { id: string; set: string }

export type SeatsWish = {
  step: string
  event: ListedEvent
  status: 'vacant' | 'reserved' | 'sold'
  /** A ticket that must be among them. */
  contains?: { id: string }
}

/** Each answer is checked. All throw NotAsDocumented, or CannotPlay when there is no answer. */
export type Listing = {
  /** The events on sale. */
  listEvents(step: string): Promise<ListedEvent[]>
  listSeats(wish: SeatsWish): Promise<ListedSeat[]>
}

/** The first category of the kind with so many tickets left. */
export function findSet(
  { sets }: ListedEvent,
  { with_seats, vacant }: { with_seats: boolean; vacant: number },
): ListedSet | undefined {
  return sets.find((set) => set.with_seats === with_seats && set.amount_vacant >= vacant)
}
