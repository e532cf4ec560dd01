import { shardOf } from '../../kernel/ids.ts'
import type { Db, Queryable } from '../../platform/db/db.ts'
import { USUAL_LIMITS, type OrderLimits } from '../order-limits.ts'
import { planAccounts, writeAccounts, type AccountPlan } from './accounts.ts'
import { checkForm } from './check-form.ts'
import type { EventsPlan } from './event-plan.ts'
import { createFaultList, type FaultList } from './import-faults.ts'
import { saveRows, sql } from './import-rows.ts'
import { notifyOfEvents } from './notify-of-events.ts'
import { planDeals, planKeys, planWebhooks, type MakeKey } from './plan-deals.ts'
import { planEvents, planGroups } from './plan-events.ts'
import { planMaps, planPartners, planVenues } from './plan-places.ts'
import { startPlanning, type Planning } from './planning.ts'
import { leavesTickets, writeCounts, writeTickets } from './tickets.ts'

export { ImportFaults } from './import-faults.ts'

/**
 * `ids`: of every record of the document that has a ref, the id. `keys`: of every API key that was made now, by
 * its name, the key, which nobody can be shown again.
 */
export type ImportResult = { ids: Record<string, string>; keys: Record<string, string> }

export type ImportOptions = {
  db: Db
  /** The catalog file, parsed and not checked. */
  document: unknown
  /** Epoch milliseconds. */
  now: () => number
  makeKey: MakeKey
  /** The platform's, for events that do not say. */
  limits?: OrderLimits
  progress?: (message: string) => void
}

type Plan = {
  planning: Planning
  events: EventsPlan
  accounts: AccountPlan
  keys: ReturnType<typeof planKeys>
}

/**
 * Imports a catalog file in one transaction: all of it, or nothing and ImportFaults with everything that is wrong
 * (first of form; when there is nothing, of what it refers to and changes).
 *
 * A record is known again by its id, else by its ref, else by what names it (each plan says by what). What is said
 * of a record is the whole of it: a property left out takes its default, except what sales and the organizer move
 * (`pending`, `credit_limit`, and the ref), which stays. What is left out of the document stays as it is; in an
 * event, a set left out is a fault, rules and promotions left out are deleted, codes and custom fields stay
 * because orders name them. Tickets are only added, after those that are there. Imports wait for each other; sales
 * go on meanwhile.
 */
export async function importCatalog(options: ImportOptions): Promise<ImportResult> {
  const { db, makeKey, limits = USUAL_LIMITS, progress = () => {} } = options
  const document = checkForm(options.document)
  const now = options.now()
  return db.longTransaction(async (tx) => {
    await tx.query(sql.lock_imports)
    const faults = createFaultList()
    const plan = await makePlan(startPlanning({ tx, now, faults, document, limits }), makeKey)
    faults.throwIfAny()
    const made = await write(tx, plan, { now, faults, progress })
    faults.throwIfAny()
    await tx.query(sql.notify_catalog)
    const keys = [...plan.keys].filter(([id]) => made.has(id)).map(([, { name, key }]) => [name, key])
    return { ids: Object.fromEntries(plan.planning.ids), keys: Object.fromEntries(keys) }
  })
}

/** In the order in which records name each other. */
async function makePlan(planning: Planning, makeKey: MakeKey): Promise<Plan> {
  const accounts: AccountPlan = { wanted: new Map(), entries: [] }
  await planPartners(planning)
  await planVenues(planning)
  await planMaps(planning)
  await planGroups(planning)
  const events = await planEvents(planning, accounts)
  await planDeals(planning)
  planAccounts(planning, accounts)
  const keys = planKeys(planning, makeKey)
  await planWebhooks(planning)
  return { planning, events, accounts, keys }
}

type WriteOptions = { now: number; faults: FaultList; progress: (message: string) => void }

/** Rows that others point to come first. */
const PLACES = ['partners', 'countries', 'cities', 'venues', 'maps', 'sectors', 'meta_events'] as const
const EXTRAS = ['promotions', 'promocodes', 'promokeys', 'custom_fields'] as const

/**
 * Tickets before promocodes and promokeys before accounts before counters, the order in which sales lock them. Answers the ids of the new API
 * keys.
 */
async function write(
  tx: Queryable,
  plan: Plan,
  { now, faults, progress }: WriteOptions,
): Promise<Set<string>> {
  const { rows } = plan.planning
  for (const table of PLACES) await saveRows(tx, table, rows)
  const event_of = new Map(plan.events.tickets.map(({ set, event }) => [set, event]))
  const changed = new Set(await saveRows(tx, 'events', rows))
  const addAll = (events: string[]) => events.forEach((event) => changed.add(event))
  addAll(await saveRows(tx, 'sets', rows))
  for (const { table, event, shard, ids } of plan.events.deleted) {
    await tx.query(sql[`delete_${table}`], [shard, ids])
    changed.add(event)
  }
  addAll((await saveRows(tx, 'set_rules', rows)).map((set) => event_of.get(set)!))
  const tickets = plan.events.tickets.filter((one) => one.is_new || !leavesTickets(one))
  await writeTickets(tx, tickets, { now, faults, progress })
  addAll(tickets.map((one) => one.event))
  faults.throwIfAny()
  for (const table of EXTRAS) addAll(await saveRows(tx, table, rows))
  await checkMovedKeys(tx, plan.events, faults)
  faults.throwIfAny()
  await writeAccounts(tx, plan.accounts, { now, faults })
  await writeCounts(tx, tickets)
  await tx.query(sql.touch_events, [[...changed].map(shardOf), [...changed]])
  for (const table of ['deals', 'webhooks'] as const) await saveRows(tx, table, rows)
  await notifyOfEvents(tx, [...changed], now)
  return new Set(await saveRows(tx, 'api_keys', rows))
}

/**
 * Promokeys that open other sets now must have no orders with tickets, which they would count and give back differently. They are
 * locked by having been saved, so no order can come to have them meanwhile.
 */
async function checkMovedKeys(tx: Queryable, { moved_keys }: EventsPlan, faults: FaultList): Promise<void> {
  if (moved_keys.length === 0) return
  const counted = await tx.query<{ id: string; orders: number }>(sql.count_orders_of_keys, [
    moved_keys.map(({ shard }) => shard),
    moved_keys.map(({ id }) => id),
  ])
  const orders_of = new Map(counted.map(({ id, orders }) => [id, orders]))
  for (const { path, id } of moved_keys) {
    const orders = orders_of.get(id)
    if (orders !== undefined)
      faults.add(`${path}.sets`, `cannot change: orders with tickets have it (${orders})`)
  }
}
