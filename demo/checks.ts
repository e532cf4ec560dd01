/** What the API document says about an order beyond the form of its fields. Each check answers what is wrong, one text a fault. */
import type { Order, OrderAnswer, OrderList, Page } from './document.ts'
import type { ListedEvent } from './listing.ts'

/** What an order operation should have led to. */
export type Wanted = {
  status: Order['status']
  event: ListedEvent
  /** Ids of exactly these tickets. */
  tickets?: readonly string[]
  /** Set id -> how many tickets of it; no others. */
  counts?: Readonly<Record<string, number>>
  /** The order as the answer before had it. */
  before?: Order
  /** Promocodes that cannot be used, each as `code: msg`. */
  errors?: readonly string[]
}

/** What no operation changes. */
const LASTING = ['id', 'created_at', 'expired_after', 'event', 'number', 'org', 'origin', 'vendor'] as const
const TOTALS = ['price', 'discount', 'nominal', 'extra', 'full'] as const

export function checkOrder({ data, errors = [], refs }: OrderAnswer, wanted: Wanted): string[] {
  const unusable = errors.map(({ code, msg }) => `${code}: ${msg}`)
  return [
    ...sameTexts('body.errors', unusable, wanted.errors ?? []),
    ...same('data.status', data.status, wanted.status),
    ...same('data.event', data.event, wanted.event.id),
    ...LASTING.flatMap((field) => same(`data.${field}`, data[field], (wanted.before ?? data)[field])),
    ...checkTickets(data, wanted),
    ...checkCompletion(data),
    ...checkMoney(data),
    ...checkSetsValues(data, wanted.event),
    ...checkRefs(data, refs),
  ]
}

function checkTickets({ tickets }: Order, { tickets: ids, counts, event }: Wanted): string[] {
  const faults: string[] = []
  if (ids) faults.push(...sameTexts('the ids of data.tickets', tickets.map(idOf), ids))
  for (const set of counts ? event.sets.map(idOf) : []) {
    const held = tickets.filter((ticket) => ticket.set === set).length
    faults.push(...same(`the number of tickets of set ${set}`, held, counts?.[set] ?? 0))
  }
  for (const [index, { set, seat }] of tickets.entries()) {
    const category = event.sets.find(({ id }) => id === set)
    if (!category) faults.push(`data.tickets[${index}].set is no category of the event`)
    else if (category.with_seats !== (seat !== undefined))
      faults.push(`data.tickets[${index}].seat must be there in seated categories only`)
  }
  return faults
}

/** Barcodes, `code` and `done_at` exist only on an order that is done, and then on all of it. */
function checkCompletion({ status, tickets, code, done_at }: Order): string[] {
  const is_done = status === 'done'
  const faults: string[] = []
  for (const [index, { barcode }] of tickets.entries()) {
    if ((barcode !== null) !== is_done)
      faults.push(
        `data.tickets[${index}].barcode must ${is_done ? 'be there' : 'be null'} in status ${status}`,
      )
  }
  const barcodes = tickets.map(({ barcode }) => barcode).filter((barcode) => barcode !== null)
  if (new Set(barcodes).size < barcodes.length) faults.push('two tickets have the same barcode')
  for (const [field, value] of Object.entries({ code, done_at })) {
    if ((value !== undefined) !== is_done)
      faults.push(`data.${field} must ${is_done ? 'be there' : 'be left out'} in status ${status}`)
  }
  return faults
}

/** What the tickets of an order that was just made cost is what the listing says. */
export function checkPrices({ tickets, values }: Order, event: ListedEvent): string[] {
  const fees = tickets.flatMap(({ nominal, extra }, index) =>
    sameMoney(`data.tickets[${index}].extra`, extra, shareOf(minor(nominal), event.extra)),
  )
  const prices = event.sets.flatMap((set) => [
    ...sameMoney(`data.values.sets_values.${set.id}.price`, values.sets_values[set.id]!.price, set.price),
    ...tickets
      .filter((ticket) => ticket.set === set.id)
      .flatMap(({ id, price }) => sameMoney(`the price of the ticket ${id}`, price, set.price)),
  ])
  return [...fees, ...prices]
}

function checkMoney({ tickets, values }: Order): string[] {
  const faults = tickets.flatMap(({ price, discount, nominal, extra, full }, index) => [
    ...sameMoney(`data.tickets[${index}].nominal`, nominal, minor(price) - minor(discount)),
    ...sameMoney(`data.tickets[${index}].full`, full, minor(nominal) + minor(extra)),
  ])
  const totals = TOTALS.flatMap((field) => {
    const sum = tickets.reduce((total, ticket) => total + minor(ticket[field]), 0n)
    return sameMoney(`data.values.${field}, the sum over the tickets,`, values[field], sum)
  })
  return [...faults, ...totals]
}

/** An entry per category of the event, also for those with no ticket in the order. */
function checkSetsValues({ values }: Order, event: ListedEvent): string[] {
  const entries = Object.values(values.sets_values)
  return [
    ...sameTexts('the ids of data.values.sets_values', Object.keys(values.sets_values), event.sets.map(idOf)),
    ...entries.flatMap(({ id, price, discount, nominal }) =>
      sameMoney(`data.values.sets_values.${id}.nominal`, nominal, minor(price) - minor(discount)),
    ),
  ]
}

function checkRefs(data: Order, refs: OrderAnswer['refs']): string[] {
  return checkNamed(refs, {
    events: [data.event],
    partners: [data.org, data.vendor],
    sets: data.tickets.map(({ set }) => set),
    promocodes: data.promocodes,
    venues: Object.values(refs.events).map(({ venue }) => venue),
  })
}

/** Whatever a record names is described. */
export function checkNamed<Name extends string>(
  refs: Readonly<Record<Name, object>>,
  named: Readonly<Record<Name, readonly string[]>>,
): string[] {
  const maps = Object.keys(named) as Name[]
  return maps.flatMap((map) =>
    named[map].filter((id) => !(id in refs[map])).map((id) => `refs.${map} lacks ${id}`),
  )
}

/** A page of orders, asked for by a status and an event; each order as it would be answered alone. */
export function checkOrderList(
  { data, refs, ...paging }: OrderList,
  { event, status }: { event: ListedEvent; status: Order['status'] },
): string[] {
  return [
    ...checkPage(data, paging),
    ...data.flatMap((order) =>
      checkOrder({ data: order, refs, errors: undefined }, { event, status }).map(
        (fault) => `${order.id}: ${fault}`,
      ),
    ),
  ]
}

/** Newest first; no more than a page holds; as many pages as the rows need. */
export function checkPage(
  records: readonly { id: string; created_at: string }[],
  { pagination: { page, page_size, total }, total_count }: Page,
): string[] {
  const times = records.map(({ created_at }) => created_at)
  const rows = Math.max(0, Math.min(page_size, total_count - (page - 1) * page_size))
  return [
    ...same('body.data, the number of records,', records.length, rows),
    ...same('body.pagination.total', total, Math.ceil(total_count / page_size)),
    ...same('the times of body.data', times.join(', '), times.toSorted().toReversed().join(', ')),
  ]
}

export function same(place: string, value: unknown, wanted: unknown): string[] {
  return value === wanted ? [] : [`${place} must be ${String(wanted)}, is ${String(value)}`]
}

/** In any order. */
export function sameTexts(place: string, texts: readonly string[], wanted: readonly string[]): string[] {
  return same(place, texts.toSorted().join(', ') || 'none', wanted.toSorted().join(', ') || 'none')
}

export function sameMoney(place: string, money: string, wanted: bigint): string[] {
  return minor(money) === wanted ? [] : [`${place} must be ${wanted} hundredths, is ${money}`]
}

export function idOf({ id }: { id: string }): string {
  return id
}

/** Hundredths. */
export function minor(money: string): bigint {
  return BigInt(money.replace('.', ''))
}

export function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

/** A percentage of an amount of hundredths; a half hundredth goes to the even neighbour. */
export function shareOf(amount: bigint, percentage: string): bigint {
  const [units = '', decimals = ''] = percentage.replace('%', '').split('.')
  const divisor = 100n * 10n ** BigInt(decimals.length)
  const product = amount * BigInt(units + decimals)
  const quotient = product / divisor
  const twice_rest = 2n * (product % divisor)
  const is_up = twice_rest > divisor || (twice_rest === divisor && quotient % 2n === 1n)
  return is_up ? quotient + 1n : quotient
}
