/**
 * One batch of commands in one transaction, in few round trips: lock and load the orders; lock the tickets the plans
 * need and the accounts that may pay; write what was settled; commit. It holds no rule: what a command does is decided
 * by plan-order and settle-order, each command on its own, in order of arrival.
 */
import type { Catalog } from '../events/event-entry.ts'
import { createClaims } from '../inventory/claims.ts'
import type { Ask, Claims } from '../inventory/claims.ts'
import type { Vacancy } from '../inventory/vacancy.ts'
import { openLedger } from '../partners/ledger.ts'
import type { Ledger } from '../partners/ledger.ts'
import type { Db, Queryable } from '../platform/db/db.ts'
import type { Work } from '../platform/db/session.ts'
import type { OrderCommand, OrderResult } from './commands.ts'
import { loadBatch } from './load-batch.ts'
import type { LoadedBatch } from './load-batch.ts'
import { orderError } from './order-errors.ts'
import { accountsOfSale, planChange, planCreate, planEnd, requireOpenSets } from './plan-order.ts'
import type { OrderPlan } from './plan-order.ts'
import { saveOrders } from './save-orders.ts'
import type { Saved } from './save-orders.ts'
import { settleOrder } from './settle-order.ts'
import type { SettleOptions } from './settle-order.ts'

export type BatchDeps = {
  readonly db: Db
  readonly catalog: Catalog
  readonly vacancy: Vacancy
  /** The secret of order codes. */
  readonly code_key: string
}

/** How a command ended; undefined: there was nothing to do (an order that is not to lapse after all). */
export type Outcome = OrderResult | Error | undefined

export type BatchResult = { outcomes: Outcome[]; saved: Saved[] }

export type Batch = {
  /** The work of the transaction. Each order may be named by one of the commands only. */
  run(tx: Queryable): Promise<Work<BatchResult>>
  /** Brings what the process knows to be vacant up to date. */
  end(options: { committed: boolean }): void
}

type Planned = { plan: OrderPlan; ask: Ask } | { error: Error } | undefined

export function createBatch(commands: readonly OrderCommand[], deps: BatchDeps): Batch {
  let claims: Claims | undefined
  const saved: Saved[] = []

  return {
    async run(tx) {
      const loaded = await loadBatch(tx, commands)
      const planned = await Promise.all(
        commands.map((command, index) => plan(command, loaded, { index, catalog: deps.catalog })),
      )
      const plans = planned.filter((one) => one !== undefined && 'plan' in one)
      claims = createClaims(
        plans.map(({ ask }) => ask),
        deps,
      )
      const ledger = await lockAll(tx, plans, claims)
      const options = { now: loaded.now, code_key: deps.code_key, canPay: ledger.canPay }
      const outcomes = planned.map((one, index): Outcome => {
        if (one === undefined || 'error' in one) return one?.error
        return settle(one, { claims: claims as Claims, ledger, options, saved, command: commands[index] })
      })
      return { result: { outcomes, saved }, sent: saveOrders(tx, saved, { ledger, now: loaded.now }) }
    },

    end({ committed }) {
      claims?.end({ committed })
      if (!committed) return
      for (const { order, released } of saved)
        for (const ticket of released) deps.vacancy.known(order.event)?.giveBack(ticket.set, [ticket.id])
    },
  }
}

async function plan(
  command: OrderCommand,
  { orders, busy, now, numbers }: LoadedBatch,
  { index, catalog }: { index: number; catalog: Catalog },
): Promise<Planned> {
  try {
    if (command.kind === 'create')
      return withAsk(planCreate(command, { now, number: numbers[index] as number }))
    const order = orders.get(command.order)
    if (order === undefined) {
      if (command.kind === 'lapse') return undefined
      throw orderError(busy.has(command.order) ? 'order_busy' : 'order_not_found')
    }
    const event = await catalog.event(order.event)
    if (event === undefined) throw new Error(`order ${order.id} is of an event that does not exist`)
    return withAsk(
      command.kind === 'lapse' ? planEnd(order, event, 'expired') : planChange(command, order, event, now),
    )
  } catch (error) {
    return { error: error as Error }
  }
}

function withAsk(made: OrderPlan): { plan: OrderPlan; ask: Ask } {
  const { event, reservation } = made
  const beside = reservation.keep.map((ticket) => ticket.id)
  return { plan: made, ask: { shard: event.shard, event: event.id, ...reservation.needs, beside } }
}

/** Locks tickets, then accounts: the order in which every transaction of the project does. */
async function lockAll(
  tx: Queryable,
  plans: readonly { plan: OrderPlan }[],
  claims: Claims,
): Promise<Ledger> {
  await claims.prepare()
  const locking = claims.lock(tx)
  const opening = openLedger(
    tx,
    plans.flatMap(({ plan: made }) => accountsOfSale(made)),
  )
  const [ledger] = await Promise.all([opening, locking])
  await claims.complete(tx)
  return ledger
}

function settle(
  { plan: made, ask }: { plan: OrderPlan; ask: Ask },
  context: {
    claims: Claims
    ledger: Ledger
    options: SettleOptions
    saved: Saved[]
    command: OrderCommand | undefined
  },
): Outcome {
  const { claims, ledger, options, saved, command } = context
  const grant = claims.grant(ask)
  try {
    if (grant.foreign !== undefined) throw orderError('ticket_of_another_event', { id: grant.foreign })
    requireOpenSets(made.event, grant.sets)
    const settlement = settleOrder(made, grant.tickets, options)
    if (settlement.granted.length === 0) claims.takeBack(grant)
    if (settlement.transfer !== undefined) ledger.post(settlement.transfer)
    const is_new = command?.kind === 'create'
    if (is_new || settlement.order !== made.before) saved.push({ ...settlement, is_new })
    return { order: settlement.order, event: made.event, now: options.now }
  } catch (error) {
    claims.takeBack(grant)
    return error as Error
  }
}
