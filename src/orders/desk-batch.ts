/**
 * One batch of commands in one transaction that asks first, in few round trips: lock and load the orders; lock the tickets the
 * plans need and the accounts that may pay; write what was settled; commit.
 */
import type { Catalog } from '../events/event-entry.ts'
import { createClaims } from '../inventory/claims.ts'
import type { Claims } from '../inventory/claims.ts'
import { openLedgerOfSales } from '../partners/ledger.ts'
import type { Ledger, SaleAccounts } from '../partners/ledger.ts'
import type { Queryable } from '../platform/db/db.ts'
import type { Work } from '../platform/db/session.ts'
import { openPromoUses } from '../promo/promo-uses.ts'
import type { PromoUses } from '../promo/promo-uses.ts'
import { askEarly } from './ask-early.ts'
import type { EarlyAsks } from './ask-early.ts'
import { eventOf, planned, remember, sendWrites, settleAll } from './batch-steps.ts'
import type { BatchDeps, BatchResult, Committed, Planned } from './batch-steps.ts'
import type { ChangeOrder, OrderCommand, PaymentStep } from './commands.ts'
import { loadBatch } from './load-batch.ts'
import type { LoadedBatch } from './load-batch.ts'
import { loadPromo, NO_PROMO, promoAsk } from './load-promo.ts'
import type { OrderPromo } from './load-promo.ts'
import { orderError } from './order-errors.ts'
import { loadPayment } from './payments.ts'
import { planChange, planCreate, planEnd, possibleSale } from './plan-order.ts'
import type { OrderPlan } from './plan-order.ts'
import { planPayment } from './plan-payment.ts'

export type Batch = {
  /** The work of the transaction. Each order may be named by one of the commands only. */
  run(tx: Queryable): Promise<Work<BatchResult>>
  /** Brings what the process remembers, of vacant tickets and of orders, up to date. */
  end(options: { committed: boolean }): void
}

export function createBatch(commands: readonly OrderCommand[], deps: BatchDeps): Batch {
  let claims: Claims | undefined
  let work: Committed | undefined

  return {
    async run(tx) {
      const { catalog, memory, code_key } = deps
      const early = await askEarly(commands, deps)
      claims = early?.claims
      const [loaded, asked] = await Promise.all([
        loadBatch(tx, commands, memory),
        // Behind the orders, which are locked first.
        early?.send(tx),
      ])
      const made = await Promise.all(
        commands.map((command, index) => plan(command, loaded, { tx, index, catalog, early })),
      )
      const plans = made.filter((one) => one !== undefined && 'plan' in one)
      const promos = await loadPromo(
        tx,
        plans.map((one) => one.plan),
      )
      if (claims === undefined) {
        claims = createClaims(
          plans.map(({ ask }) => ask),
          deps,
        )
        await claims.prepare()
      }
      const is_locked = early !== undefined
      const accounts: SaleAccounts = { known: memory.accounts, read: asked?.accounts }
      const { ledger, uses } = await lockAll(tx, plans, { claims, is_locked, promos, accounts })
      const { now, version, spare_numbers } = loaded
      const result = settleAll(commands, made, { claims, ledger, uses, promos, now, code_key })
      work = { saved: result.saved, version, spare_numbers }
      const { subscriptions } = deps
      // Whose orders are locked: they are as they were loaded.
      const versionOf = () => null
      const writing = { ledger, uses, versionOf, now, subscriptions }
      return { result, sent: sendWrites(tx, commands, { ...result, ...writing }) }
    },

    end({ committed }) {
      claims?.end({ committed })
      if (committed && work !== undefined) remember(work, deps)
    },
  }
}

type PlanDeps = { tx: Queryable; index: number; catalog: Catalog; early: EarlyAsks | undefined }

async function plan(
  command: OrderCommand,
  { orders, busy, now, numbers }: LoadedBatch,
  { tx, index, catalog, early }: PlanDeps,
): Promise<Planned> {
  const made = await planned(async () => {
    if (command.kind === 'create') return planCreate(command, { now, number: numbers[index] as number })
    const order = orders.get(command.order)
    if (order === undefined) {
      if (command.kind === 'lapse') return undefined
      throw orderError(busy.has(command.order) ? 'order_busy' : 'order_not_found')
    }
    const event = await eventOf(order, catalog)
    if (command.kind === 'lapse') return planEnd(order, event, 'expired')
    if (!isOfPayment(command)) return planChange(command, order, event, now)
    const found = await loadPayment(tx, command)
    return planPayment(command, { order, event, found }, now)
  })
  // What was asked for already is what the order gets.
  const ask = early?.asks.get(index)
  return made !== undefined && 'plan' in made && ask !== undefined ? { ...made, ask } : made
}

function isOfPayment(command: ChangeOrder): command is ChangeOrder & { payment: PaymentStep } {
  return command.payment !== undefined
}

type Locking = {
  readonly claims: Claims
  /** The tickets are locked already. */
  readonly is_locked: boolean
  readonly promos: ReadonlyMap<OrderPlan, OrderPromo>
  readonly accounts: SaleAccounts
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
