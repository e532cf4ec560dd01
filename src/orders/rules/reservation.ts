/**
 * From what an order holds and what is asked of it to what is kept, released and still needed (contract, PATCH rules 2
 * to 6; decisions 4, Reservation). Both forms name the whole wanted state. `tickets`: what is held and not named goes,
 * duplicates count once. `random`: a set left out means 0; when a count falls, the tickets reserved last go first; what
 * is held stays. All or nothing: when anything needed is not granted, the order keeps exactly what it held.
 */

type HeldTicket = { readonly id: string; readonly set: string }

/** Ids of tickets by name, or counts by set, that the order needs beyond what it keeps. */
export type Needs = { readonly ids: readonly string[]; readonly counts: ReadonlyMap<string, number> }

export type Reservation<Held extends HeldTicket> = {
  readonly keep: readonly Held[]
  readonly release: readonly Held[]
  readonly needs: Needs
}

/** `held` is in the order of reservation. */
export function reserveTickets<Held extends HeldTicket>(
  held: readonly Held[],
  tickets: readonly string[],
): Reservation<Held> {
  const wanted = new Set(tickets)
  const holds = new Set(held.map((ticket) => ticket.id))
  return {
    keep: held.filter((ticket) => wanted.has(ticket.id)),
    release: held.filter((ticket) => !wanted.has(ticket.id)),
    needs: { ids: [...wanted].filter((id) => !holds.has(id)), counts: new Map() },
  }
}

/** `held` is in the order of reservation; `random` is the wanted count by set id. */
export function reserveRandom<Held extends HeldTicket>(
  held: readonly Held[],
  random: Readonly<Record<string, number>>,
): Reservation<Held> {
  const left = new Map(Object.entries(random))
  const keep: Held[] = []
  const release: Held[] = []
  for (const ticket of held) {
    const count = left.get(ticket.set) ?? 0
    if (count > 0) keep.push(ticket)
    else release.push(ticket)
    left.set(ticket.set, count - 1)
  }
  return {
    keep,
    release,
    needs: { ids: [], counts: new Map([...left].filter(([, count]) => count > 0)) },
  }
}

/** How many tickets are needed beyond those kept. */
export function neededCount({ needs }: Reservation<HeldTicket>): number {
  return [...needs.counts.values()].reduce((sum, count) => sum + count, needs.ids.length)
}
