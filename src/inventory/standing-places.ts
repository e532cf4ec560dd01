/**
 * The vacant places of one set without seats, as far as this process needs to know them. They are alike, so it knows some
 * thousands and reads on as they run out: an event may have hundreds of thousands. It goes through the set by the ids of the
 * tickets, from a random one on and round, so that several processes meet late.
 */
import { randomBytes } from 'node:crypto'
import type { Queryable } from '../platform/db/db.ts'
import type { SetVacancy } from './set-vacancy.ts'
import { statements } from './tickets-rows.ts'
import type { SetPlaceRow, VacantPlacesRow } from './tickets-rows.ts'

/** Places that are read at a time. */
const READ_AT_ONCE = 4096

/** With fewer than these the next are read, while the others are being sold. */
const READ_AHEAD = 2048

/** What is given back beyond these is left to be found by reading again. */
const KNOWN_MAX = 4 * READ_AT_ONCE

export type StandingOptions = {
  readonly event: { readonly shard: number; readonly id: string }
  readonly set: string
  /** undefined: there is no such set. */
  readonly place: SetPlaceRow | undefined
  /** Tickets that are not to be picked, though the database may call them vacant. */
  readonly isOut: (id: string) => boolean
}

/** What is still to be read: ids after the one and up to the other. */
type Stretch = { after: string; readonly until: string }

export function createStandingPlaces({ event, set, place, isOut }: StandingOptions): SetVacancy {
  const stretches = stretchesOf(place)
  const vacant = new Set<string>()
  /** Of what is vacant or picked, as far as it is known. */
  const numbers = new Map<string, number>()
  /** That of all in `numbers`: a place with another one is not in it. */
  let serial: string | undefined
  /** Of `vacant`, in the order to be picked; what was removed is passed over. */
  let stack: string[] = []
  let reading: Promise<void> | undefined

  async function readOn(db: Queryable): Promise<void> {
    const [stretch] = stretches
    if (stretch === undefined) return
    const { after, until } = stretch
    const values = [event.shard, event.id, set, after, until, READ_AT_ONCE]
    const [row] = await db.query<VacantPlacesRow>(statements.vacant_places, values)
    const ids = row === undefined || row.ids === '' ? [] : row.ids.split(' ')
    if (ids.length < READ_AT_ONCE) stretches.shift()
    else stretch.after = ids.at(-1) as string
    const read_numbers = row?.numbers.split(' ') ?? []
    const more: string[] = []
    for (const [nth, id] of ids.entries()) {
      if (vacant.has(id) || isOut(id)) continue
      vacant.add(id)
      if (row?.serial) note(id, row.serial, Number(read_numbers[nth]))
      more.push(id)
    }
    stack = [...more.toReversed(), ...stack]
  }

  /** One that is taken by its id stays in the stack, and is in it once more when it is added again. */
  function tidy(): void {
    if (stack.length <= 2 * vacant.size + READ_AT_ONCE) return
    stack = [...new Set(stack.toReversed())].reverse().filter((id) => vacant.has(id))
  }

  function note(id: string, shown_serial: string, number: number): void {
    serial ??= shown_serial
    if (shown_serial === serial) numbers.set(id, number)
  }

  function readOnce(db: Queryable): Promise<void> {
    reading ??= readOn(db).finally(() => {
      reading = undefined
    })
    return reading
  }

  async function readUntil(db: Queryable, count: number): Promise<void> {
    while (vacant.size < count && stretches.length > 0) await readOnce(db)
  }

  return {
    pick(count) {
      const picks: string[] = []
      while (picks.length < count) {
        const id = stack.pop()
        if (id === undefined) break
        if (vacant.delete(id)) picks.push(id)
      }
      return picks
    },
    add(id, shown) {
      if (vacant.has(id)) return
      if (vacant.size < KNOWN_MAX) {
        vacant.add(id)
        if (shown !== undefined) note(id, shown.serial, shown.number)
        stack.push(id)
        tidy()
      } else numbers.delete(id)
    },
    take: (id) => vacant.delete(id),
    remove(id) {
      numbers.delete(id)
      vacant.delete(id)
    },
    shownOf(id) {
      const number = numbers.get(id)
      return number === undefined || serial === undefined ? undefined : { serial, number, seat: null }
    },
    stock(db, count) {
      if (stretches.length === 0 || vacant.size >= Math.max(count, READ_AHEAD)) return undefined
      if (vacant.size < count) return readUntil(db, count)
      // Who needs them and finds them missing reads again, and is told of the failure.
      readOnce(db).catch(() => {})
      return undefined
    },
    seats: 0,
  }
}

/** From a random id of the range to its end, then from its beginning. */
function stretchesOf(place: SetPlaceRow | undefined): Stretch[] {
  if (place === undefined || place.first === null || place.last === null) return []
  const [first, last] = [BigInt(`0x${place.first}`), BigInt(`0x${place.last}`)]
  const random = BigInt(`0x${randomBytes(16).toString('hex')}`) % (last - first + 1n)
  const start = (first + random).toString(16).padStart(place.first.length, '0')
  return [
    { after: start, until: place.last },
    { after: '', until: start },
  ]
}
