import { newId } from '../../kernel/ids.ts'
import type { CustomFieldDocument, EventDocument } from './document.ts'
import type { EventPlan, EventsPlan } from './event-plan.ts'
import { identify, type Named } from './identify.ts'
import { childPath } from './import-faults.ts'
import { sql, type Stored, type StoredPromocode, type StoredPromokey } from './import-rows.ts'
import { checkOwner, findChildren, type SetNames } from './plan-sets.ts'
import { answerId, claimsOf, type Planning } from './planning.ts'
import { orNull, toEnds, toMinor, toShare } from './values.ts'

type Extras = { event: EventPlan; document: EventDocument; sets: SetNames; plan: EventsPlan }

/** Promotions, promocodes, promokeys and custom fields of an event. */
export async function planExtras(planning: Planning, extras: Extras): Promise<void> {
  await planPromotions(planning, extras)
  await planPromocodes(planning, extras)
  await planPromokeys(planning, extras)
  await planCustomFields(planning, extras)
}

/**
 * Promotions, known by their place in the list, which is the whole list: what is left of a longer one is deleted.
 */
async function planPromotions(planning: Planning, { event, document, sets, plan }: Extras): Promise<void> {
  const { promotions = [] } = document
  const { shard, id: event_id } = event
  const stored = event.is_new
    ? []
    : await planning.tx.query<{ id: string }>(sql.find_promotions, [shard, event_id])
  for (const [pos, { lifetime, percentage, fix, levels, ...rest }] of promotions.entries()) {
    planning.rows.promotions.push({
      shard,
      id: stored[pos]?.id ?? newId(shard, planning.now),
      event: event_id,
      pos,
      ...toEnds(lifetime),
      sets: resolveSets(planning, {
        names: sets,
        wanted: rest.sets,
        path: `${event.path}.promotions[${pos}]`,
      }),
      percentage: orNull(percentage, toShare),
      fix: orNull(fix, toMinor),
      levels: orNull(levels, toLevels),
    })
  }
  const gone = stored.slice(promotions.length).map((promotion) => promotion.id)
  if (gone.length > 0) plan.deleted.push({ table: 'promotions', event: event_id, shard, ids: gone })
}

type Levels = NonNullable<NonNullable<EventDocument['promotions']>[number]['levels']>

/** The steps from the lowest up; money in minor units, percentages in 0.0001 %. */
function toLevels({ by, kind, steps }: Levels) {
  const convert = kind === 'percentage' ? toShare : toMinor
  return {
    by,
    kind,
    steps: steps
      .map(({ from, value }) => ({
        from: typeof from === 'string' ? toMinor(from) : from,
        value: convert(value),
      }))
      .toSorted((a, b) => a.from - b.from),
  }
}

type ResolveOptions = { names: SetNames; wanted: readonly string[] | undefined; path: string }

/** Ids of sets; none means all. */
function resolveSets(
  { faults }: Planning,
  { names, wanted = [], path }: ResolveOptions,
): (string | undefined)[] {
  return wanted.map((text, index) => {
    const id = names.get(text)
    if (id === undefined)
      faults.add(childPath(`${path}.sets`, index), 'no set of the event has this id or ref')
    return id
  })
}

type CodeKind = 'promocodes' | 'promokeys'

/** Who promocodes or promokeys are: known by their code, without case. Orders may name them, so none is deleted. */
async function identifyCodes<S extends Stored>(
  planning: Planning,
  {
    kind,
    event,
    records,
  }: { kind: CodeKind; event: EventPlan; records: readonly (Named & { code: string })[] },
) {
  const identities = await identify<Named & { code: string }, S>({
    path: `${event.path}.${kind}`,
    records,
    stored: await findChildren<S>(planning, { event, statement: `find_${kind}`, records }),
    keyOf: ({ code }) => `${event.id}\n${code.toLowerCase()}`,
    storedKeyOf: ({ owner, name }) => `${owner}\n${name.toLowerCase()}`,
    unique_key: 'code',
    newId: () => newId(event.shard, planning.now),
    claims: claimsOf(planning, kind),
    faults: planning.faults,
  })
  for (const identity of identities) checkOwner(planning, { identity, event })
  return identities
}

async function planPromocodes(planning: Planning, { event, document, sets }: Extras): Promise<void> {
  const { promocodes = [] } = document
  const identities = await identifyCodes<StoredPromocode>(planning, {
    kind: 'promocodes',
    event,
    records: promocodes,
  })
  for (const [index, promocode] of promocodes.entries()) {
    const { id, path, stored } = identities[index]!
    const { code, percentage, fix, lifetime, tickets_count = {}, limit = null, viral = false } = promocode
    if (stored && limit !== null && stored.uses > limit)
      planning.faults.add(`${path}.limit`, `is less than the ${stored.uses} uses there were`)
    planning.rows.promocodes.push({
      shard: event.shard,
      id,
      event: event.id,
      code,
      ...toEnds(lifetime),
      use_limit: limit,
      viral,
      percentage: orNull(percentage, toShare),
      fix: orNull(fix, toMinor),
      sets: resolveSets(planning, { names: sets, wanted: promocode.sets, path }),
      min_tickets: tickets_count.min ?? null,
      max_tickets: tickets_count.max ?? null,
    })
  }
}

async function planPromokeys(planning: Planning, { event, document, sets, plan }: Extras): Promise<void> {
  const { promokeys = [] } = document
  const identities = await identifyCodes<StoredPromokey>(planning, {
    kind: 'promokeys',
    event,
    records: promokeys,
  })
  for (const [
    index,
    { code, lifetime, limit = null, single_order = false, ...rest },
  ] of promokeys.entries()) {
    const { id, path, stored } = identities[index]!
    const opened = resolveSets(planning, { names: sets, wanted: rest.sets, path })
    const taken = stored?.taken ?? 0
    if (limit !== null && taken > limit)
      planning.faults.add(`${path}.limit`, `is less than the ${taken} tickets taken under it`)
    // The tickets taken are counted by the sets of the key, and given back by them.
    if (stored && !hasSame(opened, stored.sets)) {
      if (taken > 0) planning.faults.add(`${path}.sets`, `cannot change: ${taken} tickets are taken under it`)
      plan.moved_keys.push({ path, shard: event.shard, id })
    }
    planning.rows.promokeys.push({
      shard: event.shard,
      id,
      event: event.id,
      code,
      ...toEnds(lifetime),
      tickets_limit: limit,
      single_order,
      sets: opened,
    })
  }
}

function hasSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one))
}

/** Custom fields, known by scope and name. Orders hold their values, so none is deleted. */
async function planCustomFields(planning: Planning, { event, document }: Extras): Promise<void> {
  const { custom_fields = [] } = document
  const identities = await identify<CustomFieldDocument, Stored & { scope: string }>({
    path: `${event.path}.custom_fields`,
    records: custom_fields,
    stored: await findChildren(planning, { event, statement: 'find_custom_fields', records: custom_fields }),
    keyOf: ({ scope, name }) => `${event.id}\n${scope}\n${name}`,
    storedKeyOf: ({ owner, scope, name }) => `${owner}\n${scope}\n${name}`,
    newId: () => newId(event.shard, planning.now),
    claims: claimsOf(planning, 'custom_fields'),
    faults: planning.faults,
  })
  for (const [pos, field] of custom_fields.entries()) {
    const identity = identities[pos]!
    const { id, ref, path } = identity
    const { id: _id, ref: _ref, scope, kind, name, required = false, ...bounds } = field
    checkOwner(planning, { identity, event })
    checkBounds(planning, { kind, bounds, path })
    answerId(planning, 'custom_fields', identity)
    planning.rows.custom_fields.push({
      shard: event.shard,
      id,
      event: event.id,
      ref,
      pos,
      scope,
      kind,
      name,
      required,
      bounds,
    })
  }
}

type Bounds = Omit<CustomFieldDocument, 'id' | 'ref' | 'scope' | 'kind' | 'name' | 'required'>

const BOUNDS_OF: Record<CustomFieldDocument['kind'], readonly (keyof Bounds)[]> = {
  date: [],
  checkbox: [],
  multiple: ['options', 'min', 'max'],
  single: ['options', 'gt', 'gte', 'lt', 'lte'],
  text: ['min', 'max', 'pattern'],
  long_text: ['min', 'max', 'pattern'],
}

type BoundsOptions = { kind: CustomFieldDocument['kind']; bounds: Bounds; path: string }

function checkBounds({ faults }: Planning, { kind, bounds, path }: BoundsOptions): void {
  for (const bound of Object.keys(bounds) as (keyof Bounds)[])
    if (!BOUNDS_OF[kind].includes(bound))
      faults.add(childPath(path, bound), `is no bound of a field of kind ${kind}`)
  const { options, min = 0, max = Infinity, gt, gte, lt, lte } = bounds
  if (kind === 'multiple' && !options?.length)
    faults.add(`${path}.options`, 'are needed for a field of kind multiple')
  const twice = options?.findIndex((option, index) => options.indexOf(option) !== index) ?? -1
  if (twice >= 0) faults.add(`${path}.options[${twice}]`, 'is there twice')
  if (min > max) faults.add(`${path}.min`, 'is above max')
  const low = Math.max(gt ?? -Infinity, gte ?? -Infinity)
  const high = Math.min(lt ?? Infinity, lte ?? Infinity)
  if (low > high || (low === high && (gt === low || lt === high)))
    faults.add(path, 'its bounds leave no value')
}
