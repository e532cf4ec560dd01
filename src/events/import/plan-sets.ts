import { newId, shardOf } from '../../kernel/ids.ts'
import type { SetDocument } from './document.ts'
import type { EventPlan, EventsPlan } from './event-plan.ts'
import { identify, type Identity } from './identify.ts'
import { childPath } from './import-faults.ts'
import { sql, type StoredRule, type StoredSet } from './import-rows.ts'
import { seatKey } from './layout.ts'
import { planSeats, planStanding, type SetPlan } from './plan-tickets.ts'
import { answerId, claimsOf, type Planning, type Sector } from './planning.ts'
import { toEnds, toMinor, toTime } from './values.ts'

/** The sets of an event by id and by ref: what promotions and codes may name. */
export type SetNames = ReadonlyMap<string, string>

/**
 * Sets, known by their name in the event, with rules and tickets. A set that is left out would take its tickets
 * away, so that is a fault; so is another sector or another way of seating.
 */
export async function planSets(
  planning: Planning,
  { event, sets, plan }: { event: EventPlan; sets: readonly SetDocument[]; plan: EventsPlan },
): Promise<SetNames> {
  const { faults } = planning
  const path = `${event.path}.sets`
  const stored = await findChildren<StoredSet>(planning, { event, statement: 'find_sets', records: sets })
  const identities = await identify<SetDocument, StoredSet>({
    path,
    records: sets,
    stored,
    keyOf: (set) => `${event.id}\n${set.name}`,
    storedKeyOf: (set) => `${set.owner}\n${set.name}`,
    newId: () => newId(event.shard, planning.now),
    claims: claimsOf(planning, 'sets'),
    faults,
  })
  const present = new Set(identities.map((identity) => identity.id))
  const gone = stored.find((set) => set.owner === event.id && !present.has(set.id))
  if (gone) faults.add(path, `leaves out ${gone.name} (${gone.id}), whose tickets cannot be taken away`)

  const names = new Map<string, string>()
  const rows_taken = new Map<string, string>()
  const mine = stored.filter((set) => set.owner === event.id)
  let next_number = mine.reduce((sum, set) => sum + set.amount, 1)
  for (const [index, set] of sets.entries()) {
    const identity = identities[index]!
    checkOwner(planning, { identity, event })
    const set_plan = planSet(planning, { set, identity, event, index, rows_taken })
    const tickets = set.with_seats
      ? await planSeats(planning, set_plan, next_number)
      : planStanding(planning, set_plan, next_number)
    next_number += tickets.vacant + tickets.pending
    plan.tickets.push(tickets)
    for (const text of [identity.id, identity.ref]) if (text !== null) names.set(text, identity.id)
    answerId(planning, 'sets', identity)
  }
  await planRules(planning, { event, sets, identities, plan })
  return names
}

type ChildStatement = 'find_sets' | 'find_promocodes' | 'find_promokeys' | 'find_custom_fields'

/** What is stored of the event, and records of others that have an id given here. */
export async function findChildren<S extends object>(
  { tx }: Planning,
  options: { event: EventPlan; statement: ChildStatement; records: readonly { id?: string }[] },
): Promise<S[]> {
  const { event, statement, records } = options
  const given = records.flatMap((record) => record.id ?? [])
  if (event.is_new && given.length === 0) return []
  return tx.query<S>(sql[statement], [event.shard, event.id, given])
}

/** An id that was given must be of the event's shard, and of no other event. */
export function checkOwner(
  { faults }: Planning,
  options: { identity: Identity<{ owner: string | null }>; event: EventPlan },
): void {
  const { identity, event } = options
  if (shardOf(identity.id) !== event.shard)
    faults.add(`${identity.path}.id`, 'has another shard (bytes 5 and 6) than the id of its event')
  if (identity.stored && identity.stored.owner !== event.id)
    faults.add(`${identity.path}.id`, 'is that of a record of another event')
}

type SetOptions = {
  set: SetDocument
  identity: Identity<StoredSet>
  event: EventPlan
  index: number
  rows_taken: Map<string, string>
}

function planSet(planning: Planning, { set, identity, event, index, rows_taken }: SetOptions): SetPlan {
  const { faults, rows } = planning
  const { id, ref, path, stored } = identity
  const { name, desc = '', pos = index, price, with_seats, promokey_required = false } = set
  const sector = resolveSector(planning, { set, event, path })
  const plan = {
    set,
    identity,
    event,
    sector,
    row_names: planRowNames(planning, { set, sector, path, rows_taken }),
  }
  if (stored && stored.with_seats !== with_seats)
    faults.add(`${path}.with_seats`, 'does not change once the set is there')
  else if (stored && with_seats && sector && stored.sector !== sector.id)
    faults.add(`${path}.sector`, 'does not change once the set is there')
  rows.sets.push({
    shard: event.shard,
    id,
    event: event.id,
    ref,
    pos,
    name,
    desc,
    price: toMinor(price),
    with_seats,
    sector: sector?.id ?? null,
    promokey_required,
  })
  return plan
}

type SectorOptions = { set: SetDocument; event: EventPlan; path: string }

function resolveSector({ faults }: Planning, { set, event, path }: SectorOptions): Sector | undefined {
  const { sector: text, with_seats } = set
  const at = `${path}.sector`
  if (text === undefined) {
    if (with_seats) faults.add(at, 'a set with seats needs the sector they are in')
    return undefined
  }
  const sector = event.sectors.find(({ id, ref }) => id === text || ref === text)
  if (!sector) faults.add(at, "no sector of the event's map has this id or ref")
  else if (sector.with_seats !== with_seats)
    faults.add(at, with_seats ? 'is a sector without seats' : 'is a sector with seats, and the set has none')
  else return sector
  return undefined
}

type RowNameOptions = {
  set: SetDocument
  sector: Sector | undefined
  path: string
  rows_taken: Map<string, string>
}

/** All rows of the sector, or those named; none may be of two sets of the event. */
function planRowNames({ faults }: Planning, { set, sector, path, rows_taken }: RowNameOptions): Set<string> {
  if (!set.with_seats && set.rows) faults.add(`${path}.rows`, 'a set without seats has no rows')
  if (!set.with_seats || !sector) return new Set()
  const of_sector = sector.rows.map((row) => row.row)
  const names = set.rows?.map(String) ?? of_sector
  for (const [index, name] of names.entries()) {
    const at = set.rows ? childPath(`${path}.rows`, index) : `${path}.sector`
    const taken = rows_taken.get(seatKey(sector.id, name))
    if (!of_sector.includes(name)) faults.add(at, 'the sector has no such row')
    if (taken !== undefined) faults.add(at, `row ${name} is of the set at ${taken} already`)
    rows_taken.set(seatKey(sector.id, name), path)
  }
  return new Set(names)
}

type RulesOptions = {
  event: EventPlan
  sets: readonly SetDocument[]
  identities: readonly Identity<StoredSet>[]
  plan: EventsPlan
}

/** Price rules, known by their lifetime. The list is the whole list: a rule that is left out is deleted. */
async function planRules(planning: Planning, { event, sets, identities, plan }: RulesOptions): Promise<void> {
  const { shard } = event
  const given = sets.flatMap((set) => set.rules ?? []).flatMap((rule) => rule.id ?? [])
  const set_ids = identities.map((identity) => identity.id)
  const stored =
    event.is_new && given.length === 0
      ? []
      : await planning.tx.query<StoredRule>(sql.find_rules, [shard, set_ids, given])
  const gone = new Set(stored.filter((rule) => set_ids.includes(rule.owner)).map((rule) => rule.id))
  for (const [index, { rules = [] }] of sets.entries()) {
    const set = identities[index]!
    const rule_identities = await identify({
      path: `${set.path}.rules`,
      records: rules,
      stored: stored.filter(({ id, owner }) => owner === set.id || given.includes(id)),
      keyOf: ({ lifetime }) => `${set.id}\n${toTime(lifetime.start)}\n${toTime(lifetime.finish)}`,
      storedKeyOf: ({ owner, start, finish }) => `${owner}\n${start}\n${finish}`,
      newId: () => newId(shard, planning.now),
      claims: claimsOf(planning, 'rules'),
      faults: planning.faults,
    })
    for (const [nth, { lifetime, price }] of rules.entries()) {
      const identity = rule_identities[nth]!
      checkOwner(planning, { identity: withOwner(identity, set.id, event), event })
      gone.delete(identity.id)
      planning.rows.set_rules.push({
        shard,
        id: identity.id,
        set: set.id,
        ...toEnds(lifetime),
        price: toMinor(price),
      })
    }
    checkOverlap(planning, rules, `${set.path}.rules`)
  }
  if (gone.size > 0) plan.deleted.push({ table: 'rules', event: event.id, shard, ids: [...gone] })
}

/** A rule belongs to its set: one of another set is as wrong as one of another event. */
function withOwner(
  identity: Identity<StoredRule>,
  set: string,
  event: EventPlan,
): Identity<{ owner: string }> {
  const { stored } = identity
  return { ...identity, stored: stored && { owner: stored.owner === set ? event.id : stored.owner } }
}

/** Two rules in force at once would leave the price open. */
function checkOverlap({ faults }: Planning, rules: NonNullable<SetDocument['rules']>, path: string): void {
  const periods = rules
    .map(({ lifetime: { start, finish } }, index) => ({
      index,
      start: toTime(start),
      finish: toTime(finish),
    }))
    .toSorted((a, b) => a.start - b.start)
  let before = periods[0]
  for (const period of periods.slice(1)) {
    if (before && period.start < before.finish)
      faults.add(`${path}[${period.index}].lifetime`, `overlaps that of ${path}[${before.index}]`)
    if (!before || period.finish > before.finish) before = period
  }
}
