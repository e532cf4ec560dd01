/**
 * One batch of commands in one transaction that asks nothing first (optimistic concurrency control): it is planned and settled with
 * what the process remembers, and all its statements are sent at once, the commit with them. Each of them repeats what it was
 * settled by: an order has the version it was remembered with and no other transaction has it, a ticket is vacant, or is not where
 * one was asked for that others have, an account within its credit, the time not much later. When the process was wrong the whole
 * transaction fails, and the commands are run in a batch that asks (desk-batch.ts).
 */
import { createClaims } from '../inventory/claims.ts'
import { openKnownLedger } from '../partners/ledger.ts'
import type { Queryable } from '../platform/db/db.ts'
import type { Work } from '../platform/db/session.ts'
import { noPromoUses } from '../promo/promo-uses.ts'
import { eventOf, numbersOf, planned, remember, sendWrites, settleAll } from './batch-steps.ts'
import type { BatchDeps, BatchResult, Committed, Settling } from './batch-steps.ts'
import type { ChangeOrder, Order, OrderActions, OrderRequest } from './commands.ts'
import { checkVersions, readClock } from './desk-rows.ts'
import { planChange, planCreate, possibleSale } from './plan-order.ts'
import type { RecentOrder, RecentOrders } from './recent-orders.ts'

export type OptimisticBatch = {
  /** All of the transaction; the statements are sent at once. */
  send(tx: Queryable): Work<BatchResult>
  /** Brings what the process remembers, of vacant tickets and of orders, up to date. */
  end(options: { committed: boolean }): void
}

/** An order whose hold ends sooner is judged by the database's clock. So the batch is right if that is not later by more than this. */
const MARGIN_MS = 5000

/** Undefined when the process does not know enough, or a command needs what only the database knows. */
export async function foreseeBatch(
  commands: readonly OrderRequest[],
  deps: BatchDeps,
): Promise<OptimisticBatch | undefined> {
  const { memory } = deps
  const now = memory.now()
  const foreseen = now === undefined ? undefined : foreseeCommands(commands, memory.recent, now)
  if (now === undefined || foreseen === undefined) return undefined
  const numbers = memory.takeNumbers(commands.length - foreseen.size)
  if (numbers === undefined) return undefined
  const settled = await foreseeResult(commands, deps, {
    now,
    foreseen,
    numbers: numbersOf(commands, numbers),
  })
  if (settled === undefined) {
    memory.addNumbers(numbers)
    return undefined
  }
  const { result, claims, unchanged, ...moves } = settled
  const versionOf = (order: string) => foreseen.get(order)?.version ?? null
  const writing = { ...moves, versionOf, now, subscriptions: deps.subscriptions }
  let work: Committed | undefined

  return {
    send(tx) {
      const options = { numbers: memory.numbersWanted(numbers.length), good_until: now + MARGIN_MS }
      const reading = readClock(tx, options).then((read) => {
        work = { saved: result.saved, version: read.version, spare_numbers: read.numbers }
        memory.noteClock(read.now)
      })
      const checks = [...claims.checkGone(tx), ...checkVersions(tx, unchanged, versionOf)]
      return { result, sent: [reading, ...checks, ...sendWrites(tx, commands, { ...result, ...writing })] }
    },

    end({ committed }) {
      claims.end({ committed })
      if (committed && work !== undefined) remember(work, deps)
      if (!committed) memory.recent.forget([...foreseen.keys()])
    },
  }
}

/** The orders that commands change, by id, as the process remembers them. */
type Foreseen = ReadonlyMap<string, RecentOrder>

/** Undefined when one of the commands is not to be foreseen. */
function foreseeCommands(
  commands: readonly OrderRequest[],
  recent: RecentOrders,
  now: number,
): Foreseen | undefined {
  const orders = new Map<string, RecentOrder>()
  for (const command of commands) {
    if (namesPromo(command)) return undefined
    if (command.kind === 'create') continue
    const known = recent.get(command.order)
    if (known === undefined || !isForeseeable(command, known.order, now)) return undefined
    orders.set(command.order, known)
  }
  return orders
}

function namesPromo({ promocodes, promokey }: OrderActions): boolean {
  return promocodes !== undefined || promokey !== undefined
}

function isForeseeable({ caller, payment }: ChangeOrder, order: Order, now: number): boolean {
  const has_promo = order.promocodes.length > 0 || order.promokey !== null
  const is_own = order.vendor === caller.partner.id
  return is_own && payment === undefined && !has_promo && order.expired_after > now + MARGIN_MS
}

type Known = {
  readonly now: number
  readonly foreseen: Foreseen
  /** For each create command, at its place, the number of the order. */
  readonly numbers: readonly (number | undefined)[]
}

type ForeseenResult = Pick<Settling, 'claims' | 'ledger' | 'uses'> & {
  readonly result: BatchResult
  /** The orders that stay as they are, since not all that they need is vacant. */
  readonly unchanged: readonly string[]
}

/** What the commands end with if all is as the process remembers it; undefined when it does not know enough. */
async function foreseeResult(
  commands: readonly OrderRequest[],
  deps: BatchDeps,
  { now, foreseen, numbers }: Known,
): Promise<ForeseenResult | undefined> {
  const { catalog, memory, code_key } = deps
  const plan = async (command: OrderRequest, index: number) => {
    if (command.kind === 'create') return planCreate(command, { now, number: numbers[index] as number })
    const known = foreseen.get(command.order)
    if (known === undefined) return undefined
    return planChange(command, known.order, await eventOf(known.order, catalog), now)
  }
  const made = await Promise.all(commands.map((command, index) => planned(() => plan(command, index))))
  const plans = made.filter((one) => one !== undefined && 'plan' in one)
  const sales = plans.map((one) => possibleSale(one.plan)).filter((sale) => sale !== undefined)
  const ledger = openKnownLedger(sales, memory.accounts)
  if (ledger === undefined) return undefined
  const claims = createClaims(
    plans.map(({ ask }) => ask),
    deps,
  )
  await claims.prepare()
  const uses = noPromoUses()
  if (claims.take()) {
    const result = settleAll(commands, made, { claims, ledger, uses, promos: new Map(), now, code_key })
    // A change that is refused may be refused for what others have changed meanwhile.
    const is_refused = commands.some(
      ({ kind }, index) => kind === 'change' && result.outcomes[index] instanceof Error,
    )
    const changed = new Set(result.saved.map(({ order }) => order.id))
    const unchanged = [...foreseen.keys()].filter((order) => !changed.has(order))
    if (!is_refused) return { result, claims, ledger, uses, unchanged }
  }
  claims.end({ committed: false })
  return undefined
}
