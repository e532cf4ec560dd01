/**
 * The legacy event of the v1 listing (contract, Legacy event and Legacy set). A page of 200 events is a megabyte of JSON of
 * which only prices and amounts move, so an event is written in steps: what stays the same once, as JSON objects left open; its
 * sets when something of them has changed; what depends on the caller alone with every page.
 */
import type { Contact, Deal, EventEntry, Partner, PriceRule, SetEntry } from '../../events/event-entry.ts'
import type { SetAmounts, SetSeats } from '../../inventory/set-stock.ts'
import { createdAt } from '../../kernel/ids.ts'
import { formatV1Time } from '../../kernel/iso-time.ts'
import { formatMoney, formatPercent } from '../../kernel/money.ts'
import type { Percentage } from '../../kernel/money.ts'
import { formatVevent } from '../../kernel/vevent.ts'
import { quoteTicket, ruleInForce } from '../../pricing/quote.ts'
import { seatLabel } from './seat-label.ts'

/** An event as far as it stays the same; each `head` is a JSON object without its closing brace. */
export type EventParts = {
  readonly entry: EventEntry
  readonly head: Buffer
  readonly sets: readonly SetParts[]
  /** The sets as they were written last, and the state that they were in. */
  written: { readonly state: string; readonly sets: Buffer } | undefined
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

/** What changes of a set, in an event under one deal. */
type SetState = SetAmounts & { readonly current: PriceRule | undefined }

const NO_TICKETS: SetAmounts = { amount: 0, vacant: 0 }
const CLOSE = Buffer.from('}')

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
    written: undefined,
    head: Buffer.from(
      openObject({
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
    ),
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

/** JSON of the event as the view shows it, in pieces of UTF-8. */
export function presentEvent(parts: EventParts, view: EventView): readonly Buffer[] {
  let [amount, vacant] = [0, 0]
  const states = parts.sets.map(({ set }) => {
    const of_set = view.amounts.get(set.id) ?? NO_TICKETS
    amount += of_set.amount
    vacant += of_set.vacant
    return { amount: of_set.amount, vacant: of_set.vacant, current: ruleInForce(set, view.now) }
  })
  const terms =
    `,"deal":${JSON.stringify(presentDeal(view.deal))},"partner":${view.partner}` +
    `,"tickets_amount":${amount},"tickets_amount_vacant":${vacant},"sets":`
  return [parts.head, Buffer.from(terms), presentSets(parts, states, view.deal?.extra ?? 0), CLOSE]
}

/** The selling partner of the listing. */
export function presentPartner({ id, desc, media, name, tags, contact }: Partner): object {
  return { id, desc, media, name, tags, contact: presentContact(contact) }
}

/** While nothing of them changes, what was written last. */
function presentSets(parts: EventParts, states: readonly SetState[], extra_share: Percentage): Buffer {
  let state = `${extra_share}`
  for (const { amount, vacant, current } of states) state += ` ${amount} ${vacant} ${current?.id}`
  if (parts.written?.state !== state) {
    const texts = states.map((of_set, nth) => presentSet(parts.sets[nth] as SetParts, of_set, extra_share))
    parts.written = { state, sets: Buffer.from(`[${texts.join()}]`) }
  }
  return parts.written.sets
}

function presentSet(
  { set, head, rules }: SetParts,
  { amount, vacant, current }: SetState,
  extra_share: Percentage,
): string {
  const rule_texts = rules.map(
    (parts) =>
      `${parts.head},"current":${parts.rule === current},${presentPrice(parts.rule.price, extra_share)}}`,
  )
  return (
    `${head},"amount":${amount},"amount_vacant":${vacant}` +
    `,${presentPrice(current?.price ?? set.price, extra_share)},"rules":[${rule_texts.join()}]}`
  )
}

/** The three members of a price. */
function presentPrice(set_price: number, extra_share: Percentage): string {
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
