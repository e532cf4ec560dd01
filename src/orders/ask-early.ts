/**
 * What can be asked of the database before anything is known from it: with the orders of a batch, the tickets its new orders
 * need are locked, and the accounts read that its completions may charge. It spares a batch of a rush a round trip. Only where no
 * command changes what an order holds, because all tickets of a transaction are locked in the order of their ids.
 */
import { createClaims } from '../inventory/claims.ts'
import type { Ask, Claims } from '../inventory/claims.ts'
import type { Vacancy } from '../inventory/vacancy.ts'
import { readVendorAccounts } from '../partners/ledger.ts'
import type { AccountBalance } from '../partners/ledger.ts'
import type { Db, Queryable } from '../platform/db/db.ts'
import type { CreateOrder, OrderCommand } from './commands.ts'
import { reserve } from './plan-order.ts'

export type EarlyAsks = {
  readonly claims: Claims
  /** By the index of the command. */
  readonly asks: ReadonlyMap<number, Ask>
  /** Sends the statements. */
  send(tx: Queryable): Promise<{ accounts: readonly AccountBalance[] }>
}

/** Undefined where the orders of the batch must be known first. */
export async function askEarly(
  commands: readonly OrderCommand[],
  deps: { db: Db; vacancy: Vacancy },
): Promise<EarlyAsks | undefined> {
  if (!commands.every(isPlain)) return undefined
  const asks = new Map<number, Ask>()
  for (const [index, command] of commands.entries()) {
    const ask = command.kind === 'create' ? askOf(command) : undefined
    if (ask !== undefined) asks.set(index, ask)
  }
  const claims = createClaims([...asks.values()], deps)
  await claims.prepare()
  const partners = new Set(
    commands.flatMap((command) =>
      command.kind !== 'lapse' && command.status === 'done' ? [command.caller.partner.id] : [],
    ),
  )
  return {
    claims,
    asks,
    async send(tx) {
      const [accounts] = await Promise.all([
        partners.size === 0 ? [] : readVendorAccounts(tx, [...partners]),
        claims.lock(tx),
      ])
      return { accounts }
    },
  }
}

/** Whether the command needs no tickets but those of a new order. */
function isPlain(command: OrderCommand): boolean {
  if (command.kind !== 'change') return true
  return command.tickets === undefined && command.random === undefined && command.payment === undefined
}

/** What the new order needs; undefined when it is to be refused. */
function askOf(command: CreateOrder): Ask | undefined {
  const { event } = command
  if (event.status !== 'public' || command.faults.length > 0) return undefined
  try {
    const { needs } = reserve(command, [], event)
    return { shard: event.shard, event: event.id, ...needs, beside: [] }
  } catch {
    return undefined
  }
}
