/**
 * The steps that every batch of the desk has, whether it asks the database first (desk-batch.ts) or not (optimistic-batch.ts). They
 * hold no rule: what a command does is decided by plan-order and settle-order, each command on its own, in order of arrival.
 */
import type { Catalog, EventEntry } from '../events/event-entry.ts'
import type { Ask, Claims } from '../inventory/claims.ts'
import type { Vacancy } from '../inventory/vacancy.ts'
import { keepAnswers } from '../partners/idempotent-answers.ts'
import type { Ledger } from '../partners/ledger.ts'
import type { Subscriptions } from '../partners/notifications.ts'
import type { Db, Queryable } from '../platform/db/db.ts'
import type { PromoUses } from '../promo/promo-uses.ts'
import type { Order, OrderCommand, OrderResult } from './commands.ts'
import type { DeskMemory } from './desk-memory.ts'
import { promokeyMoves, promokeyOfOrder, requireAccess } from './hold-promokey.ts'
import { NO_PROMO } from './load-promo.ts'
import type { OrderPromo } from './load-promo.ts'
import { orderError } from './order-errors.ts'
import { paymentAfter, paymentMove } from './payments.ts'
import type { OrderPlan } from './plan-order.ts'
import { saveOrders } from './save-orders.ts'
import type { Saved, SaveOptions } from './save-orders.ts'
import { settleOrder } from './settle-order.ts'
import { tellOfOrders } from './tell-of-orders.ts'

export type BatchDeps = {
  readonly db: Db
  readonly catalog: Catalog
  readonly vacancy: Vacancy
  readonly memory: DeskMemory
  readonly subscriptions: Subscriptions
  /** The secret of order codes. */
  readonly code_key: string
}

/** How a command ended; undefined: there was nothing to do (an order that is not to lapse after all). */
export type Outcome = OrderResult | Error | undefined

export type BatchResult = { readonly outcomes: readonly Outcome[]; readonly saved: readonly Saved[] }

/** What a command is to do, or why it does nothing. */
export type Planned = { readonly plan: OrderPlan; readonly ask: Ask } | { readonly error: Error } | undefined

/** For each create command, at its place, the next of the numbers. */
export function numbersOf(
  commands: readonly OrderCommand[],
  numbers: readonly number[],
): (number | undefined)[] {
  const left = numbers.values()
  return commands.map((command) => (command.kind === 'create' ? left.next().value : undefined))
}

/** What `make` answers, with the tickets that it needs, or what it throws. */
export async function planned(make: () => Promise<OrderPlan | undefined>): Promise<Planned> {
  try {
    const plan = await make()
    if (plan === undefined) return undefined
    const { event, reservation } = plan
    const beside = reservation.keep.map((ticket) => ticket.id)
    return { plan, ask: { shard: event.shard, event: event.id, ...reservation.needs, beside } }
  } catch (error) {
    return { error: error as Error }
  }
}

export async function eventOf(order: Order, catalog: Catalog): Promise<EventEntry> {
  const event = await catalog.event(order.event)
  if (event === undefined) throw new Error(`order ${order.id} is of an event that does not exist`)
  return event
}

export type Settling = {
  readonly claims: Claims
  readonly ledger: Ledger
  readonly uses: PromoUses
  readonly promos: ReadonlyMap<OrderPlan, OrderPromo>
  /** Epoch milliseconds of the database's clock. */
  readonly now: number
  readonly code_key: string
}

/** What the commands end with, in order of arrival. */
export function settleAll(
  commands: readonly OrderCommand[],
  plans: readonly Planned[],
  settling: Settling,
): BatchResult {
  const saved: Saved[] = []
  const outcomes = plans.map((one, index): Outcome => {
    if (one === undefined || 'error' in one) return one?.error
    return settle(one, { ...settling, saved, is_new: commands[index]?.kind === 'create' })
  })
  return { outcomes, saved }
}

type SettleContext = Settling & { readonly saved: Saved[]; readonly is_new: boolean }

function settle({ plan: made, ask }: { plan: OrderPlan; ask: Ask }, context: SettleContext): Outcome {
  const { claims, ledger, uses, saved, is_new, now, code_key } = context
  const promo = context.promos.get(made) ?? NO_PROMO
  const grant = claims.grant(ask)
  try {
    if (made.next === 'open' || made.next === 'in_progress' || made.next === 'done') {
      const key = promokeyOfOrder(made, { promo, uses, granted: grant.tickets, now })
      if (made.refusal !== undefined) throw made.refusal
      if (grant.foreign !== undefined) throw orderError('ticket_of_another_event', { id: grant.foreign })
      requireAccess(made, { key, uses, sets: [...ask.counts.keys(), ...grant.sets] })
    }
    const { canPay } = ledger
    const { hasUseLeft } = uses
    const settlement = settleOrder(made, grant.tickets, { now, code_key, canPay, hasUseLeft, promo })
    const { order, promocodes, faults } = settlement
    if (settlement.granted.length === 0) claims.takeBack(grant)
    if (settlement.transfer !== undefined) ledger.post(settlement.transfer)
    for (const promocode of settlement.uses) uses.takeUse(promocode)
    for (const move of promokeyMoves(made.before, order, uses)) uses.moveKey(move)
    const move = paymentMove(made, order, now)
    if (is_new || order !== made.before)
      saved.push({ ...settlement, before: made.before, is_new, payment_move: move })
    const payment = paymentAfter(made.payment?.found, move, now)
    return { order, event: made.event, now, promocodes, faults, ...(payment && { payment }) }
  } catch (error) {
    claims.takeBack(grant)
    return error as Error
  }
}

export type Writing = SaveOptions & { readonly subscriptions: Subscriptions }

/** Writes what the commands ended with; the statements are sent at once, and fail unless they change all that they should. */
export function sendWrites(
  tx: Queryable,
  commands: readonly OrderCommand[],
  { outcomes, saved, ...writing }: BatchResult & Writing,
): Promise<unknown>[] {
  return [
    ...saveOrders(tx, saved, writing),
    ...tellOfOrders(tx, saved, writing),
    ...keepAnswers(tx, answersOf(commands, outcomes)),
  ]
}

/** The answers to keep: those of commands that are to have their effect once, and had it. */
function answersOf(
  commands: readonly OrderCommand[],
  outcomes: readonly Outcome[],
): Parameters<typeof keepAnswers>[1] {
  return commands.flatMap((command, index) => {
    const outcome = outcomes[index]
    if (command.kind === 'lapse' || command.once === undefined) return []
    if (outcome === undefined || outcome instanceof Error) return []
    return [{ id: command.once.id, answer: command.once.render(outcome) }]
  })
}

/** What a batch that has committed leaves behind. */
export type Committed = {
  readonly saved: readonly Saved[]
  /** Of the rows it wrote. */
  readonly version: string
  /** Numbers for new orders, drawn and not used. */
  readonly spare_numbers: readonly number[]
}

/** Brings what the process remembers up to date. */
export function remember(
  { saved, version, spare_numbers }: Committed,
  { memory, vacancy }: Pick<BatchDeps, 'memory' | 'vacancy'>,
): void {
  memory.recent.keep(
    saved.map(({ order }) => order),
    version,
  )
  memory.addNumbers(spare_numbers)
  for (const { order, released } of saved)
    for (const ticket of released) vacancy.known(order.event)?.released(ticket)
}
