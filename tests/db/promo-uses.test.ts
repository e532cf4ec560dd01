import { afterAll, expect, test } from 'vitest'
import { createSession } from '../../src/platform/db/session.ts'
import { shardOf } from '../../src/kernel/ids.ts'
import { openPromoUses } from '../../src/promo/promo-uses.ts'
import type { PromoUses } from '../../src/promo/promo-uses.ts'
import { findPromocodes, judgePromocodes, loadPromocodes } from '../../src/promo/promocodes.ts'
import { findPromokey } from '../../src/promo/promokeys.ts'
import { createTestDatabase } from '../support/database.ts'
import { importWorld, makeCatalog, makeEvent } from '../support/makers.ts'
import { waitUntil } from '../support/wait.ts'

const database = await createTestDatabase()
const { db } = database
const world = await importWorld(
  database,
  makeCatalog({
    events: [
      makeEvent('event', {
        promocodes: [
          { code: 'Limited', fix: '5.00', limit: 2 },
          { code: 'Free', percentage: '10%' },
        ],
        promokeys: [
          { code: 'Ten', limit: 10 },
          { code: 'Single', single_order: true },
        ],
      }),
    ],
    deals: [],
    accounts: [],
    keys: [],
  }),
)
const id = world.id('event')
const shard = shardOf(id)
const event = { shard, id }
const session = createSession(db, { name: 'promo uses', settings: {} })
afterAll(() => session.close())

const [limited, free] = (await findPromocodes(db, event, ['limited', 'free'])).map(
  (found) => found.promocode!,
)
const [ten, single] = await Promise.all(
  ['ten', 'single'].map(async (code) => (await findPromokey(db, event, code))!),
)
const ASK = { shard, promocodes: [free!.id, limited!.id], promokeys: [single!.id, ten!.id] }

/** One transaction, as the desk runs it. */
const use = (work: (uses: PromoUses) => void) =>
  session.transaction(async (tx) => {
    const uses = await openPromoUses(tx, [ASK, ASK])
    work(uses)
    return { result: undefined, sent: uses.save(tx) }
  })

const usesOf = async (promocode: string) => (await loadPromocodes(db, shard, [promocode]))[0]!.uses
const keyOf = async ({ code }: { code: string }) => (await findPromokey(db, event, code))!

test('codes are found in any case, once each, in the order sent', async () => {
  const found = await findPromocodes(db, event, ['FREE', 'nothing', 'limited', 'free', 'NOTHING'])
  expect(found.map(({ code, promocode }) => [code, promocode?.code])).toEqual([
    ['FREE', 'Free'],
    ['nothing', undefined],
    ['limited', 'Limited'],
  ])
  expect(judgePromocodes(found, { now: Date.now(), tickets_count: 0 })).toEqual({
    usable: [free, limited],
    faults: [{ code: 'promocode_not_found' }],
  })
  expect(await findPromocodes(db, { shard, id: '0'.repeat(24) }, ['free'])).toEqual([
    { code: 'free', promocode: undefined },
  ])
  expect(await findPromokey(db, event, 'TEN')).toEqual(ten)
  expect(await findPromokey(db, event, 'eleven')).toBeUndefined()
})

test('uses are taken up to the limit', async () => {
  await use((uses) => {
    uses.takeUse(limited!.id)
    expect(uses.hasUseLeft(limited!.id)).toBe(true)
    uses.takeUse(limited!.id)
    expect(uses.hasUseLeft(limited!.id)).toBe(false)
    expect(() => uses.takeUse(limited!.id)).toThrow('has none')
    for (let count = 0; count < 5; count++) uses.takeUse(free!.id)
    expect(uses.hasUseLeft(free!.id)).toBe(true)
    expect(uses.hasUseLeft('not locked')).toBe(false)
  })
  expect(await usesOf(limited!.id)).toBe(2)
  expect(await usesOf(free!.id)).toBe(5)
  await use((uses) => expect(uses.hasUseLeft(limited!.id)).toBe(false))
})

test('keys move with the tickets of their orders, and one for a single order with its holder', async () => {
  await use((uses) => {
    uses.moveKey({ key: ten!.id, order: 'a', tickets: 6, holds: true })
    uses.moveKey({ key: ten!.id, order: 'b', tickets: 4, holds: true })
    uses.moveKey({ key: single!.id, order: 'a', tickets: 1, holds: true })
    expect(uses.promokey(ten!.id)).toMatchObject({ taken: 10, holder: null })
    expect(uses.promokey(single!.id)).toMatchObject({ taken: 1, holder: 'a' })
    expect(uses.promokey('not locked')).toBeUndefined()
  })
  expect(await keyOf(ten!)).toMatchObject({ taken: 10, holder: null })
  expect(await keyOf(single!)).toMatchObject({ taken: 1, holder: 'a' })
  // Another order's end does not take the key from its holder; its own completion does.
  await use((uses) => uses.moveKey({ key: single!.id, order: 'b', tickets: 0, holds: false }))
  expect(await keyOf(single!)).toMatchObject({ taken: 1, holder: 'a' })
  await use((uses) => {
    uses.moveKey({ key: single!.id, order: 'a', tickets: 0, holds: false })
    uses.moveKey({ key: ten!.id, order: 'b', tickets: -4, holds: false })
  })
  expect(await keyOf(ten!)).toMatchObject({ taken: 6, holder: null })
  expect(await keyOf(single!)).toMatchObject({ taken: 1, holder: null })
})

test('a key is not moved beyond its limit, and then nothing of the transaction happens', async () => {
  const { taken } = await keyOf(ten!)
  const uses = await usesOf(free!.id)
  const move = use((noted) => {
    noted.takeUse(free!.id)
    noted.moveKey({ key: ten!.id, order: 'c', tickets: 11 - taken, holds: true })
  })
  await expect(move).rejects.toThrow('division by zero')
  expect(await keyOf(ten!)).toMatchObject({ taken })
  expect(await usesOf(free!.id)).toBe(uses)
})

test('a transaction waits for the one that has the code, and then sees what it took', async () => {
  await database.sql('UPDATE promocodes SET uses = 1 WHERE id = $1', [limited!.id])
  const other = createSession(db, { name: 'promo uses 2', settings: {} })
  afterAll(() => other.close())
  let has_use: boolean | undefined
  let second: Promise<void> | undefined
  await session.transaction(async (tx) => {
    const uses = await openPromoUses(tx, [ASK])
    second = other.transaction(async (other_tx) => {
      has_use = (await openPromoUses(other_tx, [ASK])).hasUseLeft(limited!.id)
      return { result: undefined, sent: [] }
    })
    await waitUntil(async () => {
      const waiting = await database.sql(
        `SELECT FROM pg_stat_activity WHERE application_name = 'parterre promo uses 2' AND wait_event_type = 'Lock'`,
      )
      return waiting.length === 1
    })
    uses.takeUse(limited!.id)
    return { result: undefined, sent: uses.save(tx) }
  })
  await second
  expect(has_use).toBe(false)
})
