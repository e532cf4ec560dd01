/**
 * The legacy event of the v1 listing (contract, Legacy event and Legacy set). A page of 200 events is a megabyte of JSON of
 * which only prices and amounts move, so an event is written in two steps: what stays the same once, as JSON objects left
 * open; the rest with every answer.
 */
import type { Contact, Deal, EventEntry, Partner, PriceRule, SetEntry } from '../../events/event-entry.ts'
import type { SetAmounts, SetSeats } from '../../inventory/set-stock.ts'
import { createdAt } from '../../kernel/ids.ts'
import { formatV1Time } from '../../kernel/iso-time.ts'
import { formatMoney, formatPercent } from '../../kernel/money.ts'
import { formatVevent } from '../../kernel/vevent.ts'
import { priceInForce, quoteTicket, ruleInForce } from '../../pricing/quote.ts'
import { seatLabel } from './seat-label.ts'

/** An event as far as it stays the same; each `head` is a JSON object without its closing brace. */
export type EventParts = {
  readonly entry: EventEntry
  readonly head: string
  readonly sets: readonly SetParts[]
}

type SetParts = {
  readonly set: SetEntry
  readonly head: string
  readonly rules: readonly { readonly rule: PriceRule; readonly head: string }[]
}

/** How a partner sees an event at a moment (epoch milliseconds); no deal: it is the event's organizer. */
export type EventView = {
  readonly deal: Deal | null
  /** JSON text of the partner. */
  readonly partner: string
  /** By set id. */
  readonly amounts: ReadonlyMap<string, SetAmounts>
  readonly now: number
}

const NO_TICKETS: SetAmounts = { amount: 0, vacant: 0 }

/** `seats`: of the seated sets, by set id; `public_url`: the base address of the links to the map's images. */
export function eventParts(
  entry: EventEntry,
  seats: ReadonlyMap<string, SetSeats>,
  public_url: string,
): EventParts {
  const { id, lifetime, org, title, ticket_template } = entry
  const { legal_detail, ...organizer } = org
  return {
    entry,
    head: openObject({
      id,
      created_at: formatV1Time(createdAt(id)),
      updated_at: formatV1Time(entry.updated_at),
      lifetime: formatVevent(lifetime.start, lifetime.finish),
      status: entry.status,
      age_rating: entry.age_rating,
      // The platform takes no payments: how a seller takes them is its own affair.
      allow_other_ps: true,
      org: { ...organizer, contact: presentContact(organizer.contact) },
      legal_detail,
      tags: entry.tags,
      title,
      media: entry.media,
      ticket_template: { fan_cover_url: null, name: null, text_color: null, ...ticket_template },
      map: presentMap(entry, public_url),
      venue: presentVenue(entry),
    }),
    sets: entry.sets.map((set) => ({
      set,
      head: openObject({
        id: set.id,
        pos: set.pos,
        name: set.name,
        desc: set.desc,
        with_seats: set.with_seats,
        seats: set.with_seats ? presentSeats(seats.get(set.id) ?? []) : null,
        sector: entry.sectors.find((sector) => sector.id === set.sector) ?? null,
      }),
      rules: set.rules.map((rule) => ({
        rule,
        head: openObject({ id: rule.id, cal: formatVevent(rule.lifetime.start, rule.lifetime.finish) }),
      })),
    })),
  }
}

/** JSON text of the event as the view shows it. */
export function presentEvent(parts: EventParts, view: EventView): string {
  let amount = 0
  let vacant = 0
  const sets: string[] = []
  for (const set_parts of parts.sets) {
    const set_amounts = view.amounts.get(set_parts.set.id) ?? NO_TICKETS
    amount += set_amounts.amount
    vacant += set_amounts.vacant
    sets.push(presentSet(set_parts, set_amounts, view))
  }
  return (
    `${parts.head},"deal":${JSON.stringify(presentDeal(view.deal))},"partner":${view.partner}` +
    `,"tickets_amount":${amount},"tickets_amount_vacant":${vacant},"sets":[${sets.join()}]}`
  )
}

/** The selling partner of the listing. */
export function presentPartner({ id, desc, media, name, tags, contact }: Partner): object {
  return { id, desc, media, name, tags, contact: presentContact(contact) }
}

function presentSet({ set, head, rules }: SetParts, { amount, vacant }: SetAmounts, view: EventView): string {
  const extra_share = view.deal?.extra ?? 0
  const current = ruleInForce(set, view.now)
  const rule_texts = rules.map(
    (parts) =>
      `${parts.head},"current":${parts.rule === current},${presentPrice(parts.rule.price, extra_share)}}`,
  )
  return (
    `${head},"amount":${amount},"amount_vacant":${vacant}` +
    `,${presentPrice(priceInForce(set, view.now), extra_share)},"rules":[${rule_texts.join()}]}`
  )
}

/** The three members of a price. */
function presentPrice(set_price: number, extra_share: number): string {
  const { nominal, extra } = quoteTicket({ price: set_price, discount: 0, extra_share })
  const [org, fee, total] = [nominal, extra, nominal + extra].map(formatMoney)
  return `"price_org":"${org}","price_extra":"${fee}","price":"${total}"`
}

function presentDeal(deal: Deal | null): object | null {
  if (deal === null) return null
  const { org_share, agent, extra } = deal
  return {
    org: formatPercent(org_share),
    agent: formatPercent(agent),
    extra: formatPercent(extra),
    media: [],
  }
}

function presentContact({
  address = '',
  email = '',
  name = '',
  phones = [],
  www = '',
}: Contact): Required<Contact> {
  return { address, email, name, phones, www }
}

function presentMap({ map }: EventEntry, public_url: string): object | null {
  if (map === null) return null
  const linkTo = (image: string) =>
    `${public_url}/v1/resources/maps/${map.id}/${encodeURIComponent(image)}.svg`
  return {
    id: map.id,
    name: map.name,
    svg: Object.fromEntries(map.svg.map((image) => [image, linkTo(image)])),
  }
}

function presentVenue({ venue }: EventEntry): object {
  const { id, name, desc, address, country, city, point } = venue
  return {
    id,
    name,
    desc,
    address,
    country,
    city,
    point: point === null ? null : { type: 'Point', coordinates: point },
  }
}

function presentSeats(rows: SetSeats): object {
  return Object.fromEntries(rows.map(({ row, numbers }) => [row, numbers.map(seatLabel)]))
}

function openObject(fields: object): string {
  return JSON.stringify(fields).slice(0, -1)
}
