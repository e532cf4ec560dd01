/**
 * What does not change while an event is being sold, as the in-memory catalog holds it: the event, its sets and rules,
 * its venue and organizer, and the deals that may cover it. Money is minor units, shares are 0.0001 %, times are epoch
 * milliseconds.
 */
import type { Percentage } from '../kernel/money.ts'

export type Lifetime = { readonly start: number; readonly finish: number }

/** A period; null: open on that side. */
export type OpenLifetime = { readonly start: number | null; readonly finish: number | null }

export type PriceRule = { readonly id: string; readonly lifetime: Lifetime; readonly price: number }

export type SetEntry = {
  readonly id: string
  readonly pos: number
  readonly name: string
  readonly desc: string
  /** The base price; a rule in force replaces it. */
  readonly price: number
  readonly rules: readonly PriceRule[]
  readonly with_seats: boolean
  readonly sector: string | null
  readonly promokey_required: boolean
}

/** A contract between an organizer and a vendor. */
export type Deal = {
  readonly id: string
  readonly org: string
  readonly vendor: string
  /** null: all events of the organizer. */
  readonly events: readonly string[] | null
  readonly org_share: Percentage
  readonly agent: Percentage
  readonly extra: Percentage
  readonly lifetime: OpenLifetime
  readonly active: boolean
  readonly refund_approval: 'vendor' | 'org'
  /** The vendor's prepaid account in the event's currency; null when it has none. */
  readonly account: string | null
}

export type LocalName = { readonly default: string; readonly en: string; readonly ru: string }

export type Venue = {
  readonly id: string
  readonly name: string
  readonly desc: string
  readonly address: string
  readonly city: {
    readonly id: number
    readonly name: LocalName
    readonly timezone: string
    readonly country: string
  }
  readonly country: { readonly id: string; readonly name: LocalName }
  /** Longitude, latitude. */
  readonly point: readonly [number, number] | null
}

export type Contact = {
  readonly address?: string
  readonly email?: string
  readonly name?: string
  readonly phones?: readonly string[]
  readonly www?: string
}

export type Partner = {
  readonly id: string
  readonly name: string
  readonly desc: string
  readonly tags: readonly string[]
  readonly contact: Contact
  readonly legal_detail: { name: string; inn: string; ogrn?: string; ogrnip?: string; address: string } | null
  readonly media: Readonly<Record<string, unknown>>
}

/** Minor units when it is fixed. */
export type Discount = { readonly percentage: Percentage } | { readonly fix: number }

/** A discount by itself, in its period; `sets` (ids) none: all. */
export type Promotion = {
  readonly id: string
  readonly lifetime: OpenLifetime
  readonly sets: readonly string[]
  readonly discount: Discount | { readonly levels: Ladder }
}

/** `from`: minor units by sum, tickets by count; `value`: 0.0001 % or minor units, by kind. From the lowest step up. */
export type Ladder = {
  readonly by: 'sum' | 'count'
  readonly kind: 'percentage' | 'fix'
  readonly steps: readonly { readonly from: number; readonly value: number }[]
}

/** What sellers are to ask of the buyer, for the order or for each ticket. */
export type CustomField = {
  readonly id: string
  readonly scope: 'order' | 'ticket'
  readonly kind: 'date' | 'checkbox' | 'multiple' | 'single' | 'text' | 'long_text'
  readonly name: string
  readonly required: boolean
  /** Those of its kind: `options` of choices; `min`, `max` lengths; `gt` ... `lte` of a number; `pattern` (flag u) of a text. */
  readonly bounds: {
    readonly options?: readonly (string | number)[]
    readonly min?: number
    readonly max?: number
    readonly gt?: number
    readonly gte?: number
    readonly lt?: number
    readonly lte?: number
    readonly pattern?: string
  }
}

/** What is paid back until when: a rule of its own name, or steps, the longest time before the start first. */
export type RefundPolicy =
  | 'general'
  | 'law_ru_193'
  | readonly { readonly days: number; readonly percent: Percentage }[]

export type EventEntry = {
  readonly shard: number
  readonly id: string
  readonly org: Partner
  readonly venue: Venue
  readonly map: { readonly id: string; readonly name: string; readonly svg: readonly string[] } | null
  readonly sectors: readonly { readonly id: string; readonly name: string; readonly with_seats: boolean }[]
  readonly title: { readonly text: string; readonly desc: string }
  readonly status: 'public' | 'stand_by' | 'finished' | 'cancelled'
  readonly lifetime: Lifetime
  /** Tickets are for any day of the lifetime. */
  readonly open_date: boolean
  readonly currency: string
  readonly age_rating: number
  /** The group it is in. */
  readonly meta: string | null
  readonly category: string | null
  readonly tags: readonly string[]
  readonly artists: readonly string[]
  readonly media: Readonly<Record<string, unknown>>
  readonly ticket_template: Readonly<Record<string, unknown>>
  readonly view_limits: { readonly salespoint?: boolean; readonly showroom?: boolean }
  readonly order_lifetime_s: number
  readonly max_tickets_per_order: number
  readonly promokey_required: boolean
  /** The integration for tickets in a phone, and whether orders may, must or must not use it; null without one. */
  readonly smart_tickets: { readonly name: string; readonly mode: 'none' | 'only' | 'any' } | null
  readonly refund_policy: RefundPolicy
  /** In the order of the catalog file. */
  readonly promotions: readonly Promotion[]
  /** In the order of the catalog file. */
  readonly custom_fields: readonly CustomField[]
  readonly updated_at: number
  /** In order of `pos`, then id. */
  readonly sets: readonly SetEntry[]
  /** All deals of the organizer with any vendor, newest first; whether one covers this event and holds now is a rule. */
  readonly deals: readonly Deal[]
  /** The organizer's account in the event's currency. */
  readonly org_account: string
}

/** The catalog of events in memory. */
export type Catalog = {
  /** The event, or undefined when there is none. At most a second old after an import, on every process. */
  event(id: string): Promise<EventEntry | undefined>
  /** Those of the events that exist, in the order of the ids, each as fresh as `event` has it. */
  events(ids: readonly string[]): Promise<EventEntry[]>
  /** A partner, as fresh as an event, or undefined when there is none. */
  partner(id: string): Promise<Partner | undefined>
}
