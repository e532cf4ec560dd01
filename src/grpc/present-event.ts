/**
 * The Event message. An event of ten sets takes 50 microseconds to encode, of which only amounts and the caller's terms move,
 * so what stays the same is encoded once. The rest is put behind it: fields of a message may come in any order.
 */
import { create, toBinary } from '@bufbuild/protobuf'
import type { DescField, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import type { Deal, EventEntry, Lifetime, Partner, SetEntry } from '../events/event-entry.ts'
import type { SetAmounts } from '../inventory/set-stock.ts'
import {
  Event_EventStatus as EventStatus,
  Event_LegalRu_Type as LegalType,
  Event_SmartTicketSetting as SmartTickets,
  Event_TicketSet_RuleSchema as RuleSchema,
  Event_TicketSetSchema as TicketSetSchema,
  EventSchema,
} from './generated/events_pb.js'
import type { Event_DealSchema as DealSchema } from './generated/events_pb.js'
import {
  presentAgeRating,
  presentLifetime,
  presentMedia,
  presentPercentage,
  presentTime,
} from './present-generic.ts'
import { presentMods } from './present-mods.ts'

/** The statuses of events that are streamed; the schema has no number for those that are over. */
const STATUSES = { stand_by: EventStatus.STAND_BY, public: EventStatus.PUBLIC }
export type StreamedStatus = keyof typeof STATUSES
export const STREAMED_STATUSES: readonly StreamedStatus[] = ['stand_by', 'public']

const SMART_TICKETS = { none: SmartTickets.NONE, only: SmartTickets.ONLY, any: SmartTickets.ANY }

export type StreamedEvent = EventEntry & { readonly status: StreamedStatus }

export function isStreamed(entry: EventEntry): entry is StreamedEvent {
  return Object.hasOwn(STATUSES, entry.status)
}

/** An encoded event as far as it stays the same. */
export type EventParts = {
  readonly head: Uint8Array
  readonly sets: readonly { readonly id: string; readonly head: Uint8Array }[]
}

export type EventView = {
  /** The caller's; null: it is the organizer. */
  readonly deal: Deal | null
  /** Of this moment, by set id. */
  readonly amounts: ReadonlyMap<string, SetAmounts>
}

const NO_TICKETS: SetAmounts = { amount: 0, vacant: 0 }

/** `is_older`: for a caller of an older name of the service. */
export function eventParts(entry: StreamedEvent, options: { is_older: boolean }): EventParts {
  return {
    head: toBinary(EventSchema, create(EventSchema, presentHead(entry, options))),
    sets: entry.sets.map((set) => ({
      id: set.id,
      head: toBinary(TicketSetSchema, create(TicketSetSchema, presentSet(set))),
    })),
  }
}

/** The encoded Event as the view shows it. */
export function encodeEvent(
  { head, sets }: EventParts,
  { deal, amounts }: EventView,
): Uint8Array<ArrayBuffer> {
  const { field } = EventSchema
  const writer = new BinaryWriter().raw(head).raw(encodeTerms(deal))
  let amount = 0
  let vacant = 0
  for (const set of sets) {
    const of_set = amounts.get(set.id) ?? NO_TICKETS
    amount += of_set.amount
    vacant += of_set.vacant
    writer.tag(field.sets.number, WireType.LengthDelimited).fork().raw(set.head)
    writeCount(writer, TicketSetSchema.field.amount, of_set.amount)
    writeCount(writer, TicketSetSchema.field.amountVacant, of_set.vacant)
    writer.join()
  }
  writeCount(writer, field.ticketsAmount, amount)
  writeCount(writer, field.ticketsAmountVacant, vacant)
  return writer.finish()
}

function presentHead(
  entry: StreamedEvent,
  options: { is_older: boolean },
): MessageInitShape<typeof EventSchema> {
  return {
    id: entry.id,
    meta: entry.meta ?? '',
    name: entry.title.text,
    description: entry.title.desc,
    status: STATUSES[entry.status],
    org: entry.org.id,
    venue: entry.venue.id,
    map: entry.map?.id ?? '',
    lifetime: presentLifetime(entry.lifetime),
    category: entry.category ?? '',
    tags: [...entry.tags],
    artists: [...entry.artists],
    ageRating: presentAgeRating(entry.age_rating),
    media: presentMedia(entry.media),
    openDate: entry.open_date,
    legal: presentLegal(entry.org),
    smartTickets: SMART_TICKETS[entry.smart_tickets?.mode ?? 'none'],
    mods: presentMods(entry.promotions, options),
    updatedAt: options.is_older ? undefined : presentTime(entry.updated_at),
  }
}

/** The organizer sells its own events without a fee. */
function encodeTerms(deal: Deal | null): Uint8Array {
  const commissions: MessageInitShape<typeof EventSchema>['commissions'] =
    deal === null
      ? { case: 'orgExtra', value: presentPercentage(0) }
      : { case: 'deal', value: presentDeal(deal) }
  return toBinary(EventSchema, create(EventSchema, { commissions }))
}

function presentDeal({ id, org_share, agent, extra }: Deal): MessageInitShape<typeof DealSchema> {
  return {
    id,
    org: presentPercentage(org_share),
    agent: presentPercentage(agent),
    extra: presentPercentage(extra),
  }
}

/** The catalog knows of no taxes, so their fields stay absent. */
function presentLegal({
  id,
  legal_detail,
}: Partner): NonNullable<MessageInitShape<typeof EventSchema>['legal']> {
  if (legal_detail === null) return { case: undefined }
  const { name, inn, address, ogrn, ogrnip } = legal_detail
  const value = { id, name, inn, address }
  if (ogrn !== undefined)
    return { case: 'legalRu', value: { ...value, type: LegalType.LTD, ogrns: { case: 'ogrn', value: ogrn } } }
  if (ogrnip !== undefined)
    return {
      case: 'legalRu',
      value: { ...value, type: LegalType.IP, ogrns: { case: 'ogrnip', value: ogrnip } },
    }
  return { case: 'legalRu', value: { ...value, type: LegalType.SE } }
}

function presentSet(set: SetEntry): MessageInitShape<typeof TicketSetSchema> {
  const rules = set.rules.map(({ id, lifetime, price }) => presentRule(id, price, lifetime))
  return {
    id: set.id,
    name: set.name,
    description: set.desc,
    pos: set.pos,
    sector: set.sector ?? '',
    withSeats: set.with_seats,
    // The base price is the set's own, and holds when no other does.
    rules: [...rules, presentRule(set.id, set.price)],
  }
}

function presentRule(id: string, price: number, lifetime?: Lifetime): MessageShape<typeof RuleSchema> {
  return create(RuleSchema, {
    id,
    lifetime: lifetime && presentLifetime(lifetime),
    types: { case: 'simple', value: { price: BigInt(price) } },
  })
}

/** None is not written, as proto3 has it. */
function writeCount(writer: BinaryWriter, { number }: DescField, count: number): void {
  if (count > 0) writer.tag(number, WireType.Varint).uint32(count)
}
