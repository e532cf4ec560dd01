import { randomBytes } from 'node:crypto'
import { WHOLE } from '../../kernel/money.ts'
import type { DealDocument, WebhookDocument } from './document.ts'
import { identify } from './identify.ts'
import { childPath } from './import-faults.ts'
import { sql, type Stored } from './import-rows.ts'
import { claimsOf, identifySection, makePlainId, resolve, type Planning } from './planning.ts'
import { orNull, toEnds, toIso, toShare } from './values.ts'

/** Makes an API key: the key itself, its SHA-256, and its visible beginning. */
export type MakeKey = () => { key: string; hash: Buffer; hint: string }

/** Deals, known by organizer and vendor, who do not change. */
export async function planDeals(planning: Planning): Promise<void> {
  const { faults, rows } = planning
  const { deals = [] } = planning.document
  const vendors = new Map(
    deals.map((deal, index) => [
      deal,
      resolve(planning, 'partners', deal.vendor, `$.deals[${index}].vendor`)?.id,
    ]),
  )
  const identities = await identifySection<DealDocument, Stored>(planning, {
    kind: 'deals',
    records: deals,
    named: [],
    nameOf: (deal) => vendors.get(deal) ?? '',
    ownerOf: (deal, path) => resolve(planning, 'partners', deal.org, `${path}.org`),
  })
  for (const [index, deal] of deals.entries()) {
    const { id, ref, path, owner: org, stored } = identities[index]!
    const vendor = vendors.get(deal)
    if (org !== undefined && org === vendor)
      faults.add(`${path}.vendor`, 'is the organizer, who sells without a deal')
    if (stored && org !== undefined && stored.owner !== org) faults.add(`${path}.org`, 'does not change')
    if (stored && vendor !== undefined && stored.name !== vendor)
      faults.add(`${path}.vendor`, 'does not change')
    const [org_share, agent, extra] = [toShare(deal.org_share), toShare(deal.agent), toShare(deal.extra)]
    if (org_share + agent !== WHOLE) faults.add(`${path}.agent`, 'and org_share must make 100% together')
    const { active = true, refund_approval = 'vendor', lifetime } = deal
    const events = resolveEvents(planning, { wanted: deal.events, path, org })
    rows.deals.push({
      id,
      ref,
      org,
      vendor,
      events,
      org_share,
      agent,
      extra,
      ...toEnds(lifetime),
      active,
      refund_approval,
    })
  }
}

type EventsOptions = { wanted: readonly string[] | undefined; path: string; org?: string | undefined }

/** Ids of events, all of `org` when that is given; null means all. */
function resolveEvents(planning: Planning, { wanted, path, org }: EventsOptions) {
  if (wanted === undefined) return null
  return wanted.map((text, index) => {
    const at = childPath(`${path}.events`, index)
    const event = resolve(planning, 'events', text, at)
    if (event && org !== undefined && event.owner !== undefined && event.owner !== org)
      planning.faults.add(at, 'is an event of another organizer')
    return event?.id
  })
}

/**
 * API keys, known by partner and name. One that is there keeps its secret, and stays revoked if it was. Answers
 * the new keys by id, each with the name it is answered under: a name that two partners use is `<partner>:<name>`
 * for the later one.
 */
export function planKeys(planning: Planning, makeKey: MakeKey): Map<string, { name: string; key: string }> {
  const made = new Map<string, { name: string; key: string }>()
  const claims = claimsOf(planning, 'keys')
  for (const [index, document] of (planning.document.keys ?? []).entries()) {
    const path = `$.keys[${index}]`
    const { name, origin = 'api', permissions = ['orders', 'refunds', 'events'], expires } = document
    const partner = resolve(planning, 'partners', document.partner, `${path}.partner`)?.id
    const token = `${partner} ${name}`
    if (claims.has(token)) planning.faults.add(`${path}.name`, `is the same as at ${claims.get(token)}`)
    const answered = claims.has(name) ? `${document.partner}:${name}` : name
    claims.set(token, `${path}.name`).set(name, path)
    const id = makePlainId(planning)
    const { key, hash, hint } = makeKey()
    made.set(id, { name: answered, key })
    planning.rows.api_keys.push({
      id,
      name,
      partner,
      hash: `\\x${hash.toString('hex')}`,
      hint,
      origin,
      permissions: [...new Set(permissions)].sort(),
      events: resolveEvents(planning, { wanted: document.events, path }),
      expires_at: orNull(expires, toIso),
    })
  }
  return made
}

/**
 * Webhooks, known by partner and ref, without one by partner and URL. A new one gets a secret of 32 random bytes.
 */
export async function planWebhooks(planning: Planning): Promise<void> {
  const { webhooks = [] } = planning.document
  if (webhooks.length === 0) return
  const partners = webhooks.map(
    ({ partner }, index) => resolve(planning, 'partners', partner, `$.webhooks[${index}].partner`)?.id,
  )
  const stored = await planning.tx.query<Stored>(sql.find_webhooks, [partners])
  for (const [index, webhook] of webhooks.entries()) {
    const partner = partners[index]
    const [identity] = await identify<WebhookDocument, Stored>({
      path: '$.webhooks',
      first: index,
      records: [webhook],
      stored: stored.filter((one) => one.owner === partner),
      keyOf: ({ url }) => `${partner}\n${url}`,
      storedKeyOf: ({ owner, name }) => `${owner}\n${name}`,
      newId: () => makePlainId(planning),
      claims: claimsOf(planning, 'webhooks'),
      faults: planning.faults,
    })
    const { id, ref } = identity!
    const types = [...new Set(webhook.types)].sort()
    const secret = `\\x${randomBytes(32).toString('hex')}`
    planning.rows.webhooks.push({ id, ref, partner, url: webhook.url, types, secret })
  }
}
