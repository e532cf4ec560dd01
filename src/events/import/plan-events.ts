import { randomInt } from 'node:crypto'
import { newId, NO_SHARD, shardOf } from '../../kernel/ids.ts'
import { wantAccount, type AccountPlan } from './accounts.ts'
import type { EventDocument, GroupDocument } from './document.ts'
import type { EventPlan, EventsPlan } from './event-plan.ts'
import type { Identity } from './identify.ts'
import { sql, type Stored, type StoredEvent } from './import-rows.ts'
import { planExtras } from './plan-extras.ts'
import { planSets } from './plan-sets.ts'
import { identifySection, resolve, type Planning } from './planning.ts'
import { orNull, toEnds, toShare, toTime } from './values.ts'

const DEFAULT_CURRENCY = 'RUB'
/** The events' tickets of one document, so that an import has an end. */
const MAX_TICKETS = 5_000_000

/** Groups of events, known by organizer and name. */
export async function planGroups(planning: Planning): Promise<void> {
  const { groups = [], events = [] } = planning.document
  const identities = await identifySection<GroupDocument, Stored>(planning, {
    kind: 'groups',
    records: groups,
    named: events.map((event) => event.meta),
    nameOf: (group) => group.name,
    ownerOf: (group, path) => resolve(planning, 'partners', group.org, `${path}.org`),
  })
  for (const [index, { name, desc = '', age_rating = 0, media = {} }] of groups.entries()) {
    const { id, ref, owner, path, stored } = identities[index]!
    planning.rows.meta_events.push({ id, ref, org: owner, name, desc, age_rating, media })
    if (stored && owner !== undefined && stored.owner !== owner)
      planning.faults.add(`${path}.org`, 'does not change')
  }
}

/** Events, known by organizer, title and start, with all that is theirs. */
export async function planEvents(planning: Planning, accounts: AccountPlan): Promise<EventsPlan> {
  const { events = [], deals = [], keys = [] } = planning.document
  const identities = await identifySection<EventDocument, StoredEvent>(planning, {
    kind: 'events',
    records: events,
    named: [...deals, ...keys].flatMap((record) => record.events ?? []),
    nameOf: (event) => event.title.text,
    ownerOf: (event, path) => resolve(planning, 'partners', event.org, `${path}.org`),
    moreOf: (event) => toTime(event.lifetime.start),
    newId: () => makeEventId(planning),
  })
  const plan: EventsPlan = { tickets: [], deleted: [], moved_keys: [] }
  for (const [index, document] of events.entries()) {
    const identity = identities[index]!
    const { currency = identity.stored?.currency ?? DEFAULT_CURRENCY } = document
    const event = planEvent(planning, { document, identity, currency })
    const sets = await planSets(planning, { event, sets: document.sets, plan })
    await planExtras(planning, { event, document, sets, plan })
    if (identity.owner !== undefined)
      wantAccount(accounts, { partner: identity.owner, kind: 'org', currency })
    wantAccount(accounts, { partner: null, kind: 'cash', currency })
  }
  const added = plan.tickets.reduce((sum, tickets) => sum + tickets.vacant + tickets.pending, 0)
  if (added > MAX_TICKETS)
    planning.faults.add('$.events', `${added} new tickets are more than one import may make, ${MAX_TICKETS}`)
  return plan
}

async function makeEventId({ tx, now }: Planning): Promise<string> {
  for (;;) {
    const [row] = await tx.query<{ shard: number }>(sql.next_shard)
    if (row!.shard !== NO_SHARD) return newId(row!.shard, now)
  }
}

type EventOptions = {
  document: EventDocument
  identity: Identity<StoredEvent> & { owner: string | undefined }
  currency: string
}

function planEvent(planning: Planning, { document, identity, currency }: EventOptions): EventPlan {
  const { rows, faults } = planning
  const { id, ref, owner, stored, path } = identity
  const shard = shardOf(id)
  if (shard === NO_SHARD) faults.add(`${path}.id`, 'is an id of shard 0, which no event may have')
  if (stored && owner !== undefined && stored.owner !== owner) faults.add(`${path}.org`, 'does not change')
  if (stored && stored.currency !== currency) faults.add(`${path}.currency`, 'does not change')
  const { venue, map, meta } = resolvePlaces(planning, { document, identity, currency })
  const serial = stored?.serial ?? randomSerial()
  const {
    status,
    lifetime,
    open_date = false,
    age_rating = 0,
    tags = [],
    category = null,
    artists = [],
  } = document
  const { title, media = {}, ticket_template = {}, view_limits = {}, smart_tickets = null } = document
  const { order_lifetime_s, max_tickets_per_order } = { ...planning.limits, ...document }
  const { promokey_required = false } = document
  rows.events.push({
    shard,
    id,
    ref,
    org: owner,
    venue,
    map,
    meta,
    title: { text: title.text, desc: title.desc ?? '' },
    status,
    ...toEnds(lifetime),
    open_date,
    currency,
    age_rating,
    tags,
    category,
    artists,
    media,
    ticket_template,
    view_limits,
    order_lifetime_s,
    max_tickets_per_order,
    promokey_required,
    smart_tickets,
    refund_policy: toRefundPolicy(document.refund_policy),
    serial,
  })
  const sectors = map === null ? [] : (planning.sectors.get(map) ?? [])
  return { id, shard, path, serial, is_new: stored === undefined, sectors }
}

function resolvePlaces(planning: Planning, { document, identity: { owner, path } }: EventOptions) {
  const { faults } = planning
  const venue = resolve(planning, 'venues', document.venue, `${path}.venue`)
  const map = orNull(document.map, (text) => resolve(planning, 'maps', text, `${path}.map`))
  const meta = orNull(document.meta, (text) => resolve(planning, 'groups', text, `${path}.meta`))
  if (map && venue && map.owner !== undefined && map.owner !== venue.id)
    faults.add(`${path}.map`, 'is a map of another venue')
  if (meta && owner !== undefined && meta.owner !== undefined && meta.owner !== owner)
    faults.add(`${path}.meta`, 'is a group of another organizer')
  return { venue: venue?.id ?? null, map: map?.id ?? null, meta: meta?.id ?? null }
}

/** Three letters, chosen once: tickets carry them. */
function randomSerial(): string {
  return Array.from({ length: 3 }, () => String.fromCharCode(65 + randomInt(26))).join('')
}

/** `general`, `law_ru_193` or `[{days, percent}]`, percent in 0.0001 %, the longest time before the start first. */
function toRefundPolicy(policy: EventDocument['refund_policy'] = 'general') {
  if (typeof policy === 'string') return policy
  return policy
    .map(({ days, percent }) => ({ days, percent: toShare(percent) }))
    .toSorted((a, b) => b.days - a.days)
}
