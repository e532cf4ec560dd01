/**
 * One batch of commands in one transaction, in few round trips: lock and load the orders; lock the tickets the plans
 * need and the accounts that may pay; write what was settled; commit. It holds no rule: what a command does is decided
 * by plan-order and settle-order, each command on its own, in order of arrival.
 */
import type { Catalog } from '../events/event-entry.ts'
import { createClaims } from '../inventory/claims.ts'
import type { Ask, Claims } from '../inventory/claims.ts'
import type { Vacancy } from '../inventory/vacancy.ts'
import { openLedgerOfSales } from '../partners/ledger.ts'
import type { AccountBalance } from '../partners/ledger.ts'
import { keepAnswers } from '../partners/idempotent-answers.ts'
import type { Ledger } from '../partners/ledger.ts'
import type { Subscriptions } from '../partners/notifications.ts'
import type { Db, Queryable } from '../platform/db/db.ts'
import type { Work } from '../platform/db/session.ts'
import { askEarly } from './ask-early.ts'
import type { EarlyAsks } from './ask-early.ts'
import type { ChangeOrder, OrderCommand, OrderResult, PaymentStep } from './commands.ts'
import { openPromoUses } from '../promo/promo-uses.ts'
import type { PromoUses } from '../promo/promo-uses.ts'
import { promokeyMoves, promokeyOfOrder, requireAccess } from './hold-promokey.ts'
import { loadPromo, NO_PROMO, promoAsk } from './load-promo.ts'
import type { OrderPromo } from './load-promo.ts'
import { loadBatch } from './load-batch.ts'
import type { LoadedBatch } from './load-batch.ts'
import { orderError } from './order-errors.ts'
import { loadPayment, paymentAfter, paymentMove } from './payments.ts'
import { planPayment } from './plan-payment.ts'
import { planChange, planCreate, planEnd, possibleSale } from './plan-order.ts'
import type { OrderPlan } from './plan-order.ts'
import type { RecentOrders } from './recent-orders.ts'
import { saveOrders } from './save-orders.ts'
import type { Saved } from './save-orders.ts'
import { settleOrder } from './settle-order.ts'
import { tellOfOrders } from './tell-of-orders.ts'

export type BatchDeps = {
  readonly db: Db
  readonly catalog: Catalog
  readonly vacancy: Vacancy
  readonly recent: RecentOrders
  readonly subscriptions: Subscriptions
  /** The secret of order codes. */
  readonly code_key: string
}

/** How a command ended; undefined: there was nothing to do (an order that is not to lapse after all). */
export type Outcome = OrderResult | Error | undefined

export type BatchResult = { outcomes: Outcome[]; saved: Saved[] }

export type Batch = {
  /** The work of the transaction. Each order may be named by one of the commands only. */
  run(tx: Queryable): Promise<Work<BatchResult>>
  /** Brings what the process remembers, of vacant tickets and of orders, up to date. */
  end(options: { committed: boolean }): void
}

type Planned = { plan: OrderPlan; ask: Ask } | { error: Error } | undefined

export function createBatch(commands: readonly OrderCommand[], deps: BatchDeps): Batch {
  let claims: Claims | undefined
  let version = ''
  const saved: Saved[] = []

  return {
    async run(tx) {
      const early = await askEarly(commands, deps)
      claims = early?.claims
      const [loaded, asked] = await Promise.all([
        loadBatch(tx, commands, deps.recent),
        // Behind the orders, which are locked first.
        early?.send(tx),
      ])
      version = loaded.version
      const planned = await Promise.all(
        commands.map((command, index) => plan(command, loaded, { tx, index, catalog: deps.catalog, early })),
      )
      const plans = planned.filter((one) => one !== undefined && 'plan' in one)
      const promos = await loadPromo(
        tx,
        plans.map(({ plan: made }) => made),
      )
      if (claims === undefined) {
        claims = createClaims(
          plans.map(({ ask }) => ask),
          deps,
        )
        await claims.prepare()
      }
      const is_locked = early !== undefined
      const { ledger, uses } = await lockAll(tx, plans, {
        claims,
        is_locked,
        promos,
        accounts: asked?.accounts,
      })
      const context = { claims, ledger, uses, saved, now: loaded.now, code_key: deps.code_key }
      const outcomes = planned.map((one, index): Outcome => {
        if (one === undefined || 'error' in one) return one?.error
        const promo = promos.get(one.plan) ?? NO_PROMO
        return settle(one, { ...context, promo, is_new: commands[index]?.kind === 'create' })
      })
      const { now, ctids } = loaded
      const sent = saveOrders(tx, saved, {
        ledger,
        uses,
        ctids: { order: (id) => ctids.get(id), ticket: claims.ctidOf },
        now,
      })
      const telling = tellOfOrders(tx, saved, { subscriptions: deps.subscriptions, now })
      const keeping = keepAnswers(tx, answersOf(commands, outcomes))
      return { result: { outcomes, saved }, sent: [...sent, ...telling, ...keeping] }
    },

    end({ committed }) {
      claims?.end({ committed })
      if (!committed) return
      deps.recent.keep(
        saved.map(({ order }) => order),
        version,
      )
      for (const { order, released } of saved)
        for (const ticket of released) deps.vacancy.known(order.event)?.giveBack(ticket.set, [ticket.id])
    },
  }
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

type PlanDeps = { tx: Queryable; index: number; catalog: Catalog; early: EarlyAsks | undefined }

async function plan(
  command: OrderCommand,
  { orders, busy, now, numbers }: LoadedBatch,
  { tx, index, catalog, early }: PlanDeps,
): Promise<Planned> {
  try {
    if (command.kind === 'create') {
      const made = withAsk(planCreate(command, { now, number: numbers[index] as number }))
      return { ...made, ask: early?.asks.get(index) ?? made.ask }
    }
    const order = orders.get(command.order)
    if (order === undefined) {
      if (command.kind === 'lapse') return undefined
      throw orderError(busy.has(command.order) ? 'order_busy' : 'order_not_found')
    }
    const event = await catalog.event(order.event)
    if (event === undefined) throw new Error(`order ${order.id} is of an event that does not exist`)
    if (command.kind === 'lapse') return withAsk(planEnd(order, event, 'expired'))
    if (!isOfPayment(command)) return withAsk(planChange(command, order, event, now))
    const found = await loadPayment(tx, command)
    return withAsk(planPayment(command, { order, event, found }, now))
  } catch (error) {
    return { error: error as Error }
  }
}

function isOfPayment(command: ChangeOrder): command is ChangeOrder & { payment: PaymentStep } {
  return command.payment !== undefined
}

function withAsk(made: OrderPlan): { plan: OrderPlan; ask: Ask } {
  const { event, reservation } = made
  const beside = reservation.keep.map((ticket) => ticket.id)
  return { plan: made, ask: { shard: event.shard, event: event.id, ...reservation.needs, beside } }
}

type Locking = {
  readonly claims: Claims
  /** The tickets are locked already. */
  readonly is_locked: boolean
  readonly promos: ReadonlyMap<OrderPlan, OrderPromo>
  /** Those that were read already. */
  readonly accounts: readonly AccountBalance[] | undefined
}

/** Locks tickets, then promocodes and promokeys, then accounts: the order in which every transaction of the project does. */
async function lockAll(
  tx: Queryable,
  plans: readonly { plan: OrderPlan }[],
  { claims, is_locked, promos, accounts }: Locking,
): Promise<{ ledger: Ledger; uses: PromoUses }> {
  const made = plans.map(({ plan: one }) => one)
  const locking = is_locked ? undefined : claims.lock(tx)
  const using = openPromoUses(
    tx,
    made.map((one) => promoAsk(one, promos.get(one) ?? NO_PROMO)),
  )
  const sales = made.map(possibleSale).filter((sale) => sale !== undefined)
  // Accounts that must be locked are locked when they have been read, so after all that was asked for above.
  const opening = openLedgerOfSales(tx, sales, accounts)
  const [ledger, uses] = await Promise.all([opening, using, locking])
  await claims.complete(tx)
  return { ledger, uses }
}

type SettleContext = {
  readonly claims: Claims
  readonly ledger: Ledger
  readonly uses: PromoUses
  readonly promo: OrderPromo
  readonly saved: Saved[]
  readonly is_new: boolean
  readonly now: number
  readonly code_key: string
}

function settle({ plan: made, ask }: { plan: OrderPlan; ask: Ask }, context: SettleContext): Outcome {
  const { claims, ledger, uses, promo, saved, is_new, now, code_key } = context
  const grant = claims.grant(ask)
  try {
    if (made.next === 'open' || made.next === 'in_progress' || made.next === 'done') {
      const key = promokeyOfOrder(made, { promo, uses, granted: grant.tickets, now })
      if (grant.foreign !== undefined) throw orderError('ticket_of_another_event', { id: grant.foreign })
      requireAccess(made, key, [...ask.counts.keys(), ...grant.sets])
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
