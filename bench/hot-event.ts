/** The first minutes of a sale: many buyers, one event, two standing places each, paid at once. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from './support/client.ts'
import { rush, type Buyer, type Measured } from './support/rush.ts'
import type { Options, Scenario } from './support/scenario.ts'
import type { Target } from './support/service.ts'

/** More than a run of a minute can sell; the import takes 500,000 in a set at most. */
const PLACES = 400_000
const PLACES_AN_ORDER = 2
const ORDERS = '/v2/resources/orders'
const DEMO = { event: 'festival', set: 'festival-standing', key: 'biletik' }
const DAY_MS = 86_400_000

type Sale = { key: string; event: string; set: string }
type Imported = { ids: Record<string, string>; keys: Record<string, string> }

export const hotEvent: Scenario = {
  name: 'hot-event',
  summary: 'all clients buy standing places of one event: POST with random of 2, then PATCH done',
  run,
}

async function run(target: Target, options: Options): Promise<Measured> {
  const sale = options.demo ? readDemoSale(target) : await importSale(target)
  const vacant = await countVacant(target, sale)
  let acknowledged = 0
  const body = JSON.stringify({ event: sale.event, random: { [sale.set]: PLACES_AN_ORDER } })
  const measured = await rush({ ...options, target, key: sale.key }, async (buyer) => {
    acknowledged += await buy(buyer, body)
  })
  const left = await countVacant(target, sale)
  if (left > vacant - acknowledged) {
    throw new Error(`${acknowledged} of ${vacant} places were sold, but ${left} are on sale: sales were lost`)
  }
  return measured
}

/** Answers how many places were sold. Answers are searched, not parsed: the load must stay small beside the service. */
async function buy(buyer: Buyer, body: string): Promise<number> {
  const created = await buyer.send('POST', 'POST', ORDERS, body)
  const order = /^{"data":{"id":"([0-9a-f]{24})"/.exec(created.body.toString('latin1', 0, 64))?.[1]
  if (created.status !== 200 || order === undefined) {
    buyer.failed('POST', created)
    return 0
  }
  const held = count(created.body, '"barcode":null')
  if (held < PLACES_AN_ORDER) buyer.refused()
  if (held === 0) return 0
  const done = await buyer.send('PATCH done', 'PATCH', `${ORDERS}/${order}`, '{"status":"done"}')
  if (
    done.status !== 200 ||
    !done.body.includes('"status":"done"') ||
    count(done.body, '"barcode":"') !== held
  ) {
    buyer.failed('PATCH done', done)
    return 0
  }
  buyer.completed()
  return held
}

function count(body: Buffer, text: string): number {
  let times = 0
  for (let at = body.indexOf(text); at !== -1; at = body.indexOf(text, at + text.length)) times++
  return times
}

async function countVacant(target: Target, { key, event, set }: Sale): Promise<number> {
  const client = await connect({ url: target.base_url, key })
  const { status, body } = await client.send('GET', '/v1/services/simple/events?page_size=200')
  client.close()
  if (status !== 200) throw new Error(`the event listing answered ${status} ${body.toString()}`)
  const events = JSON.parse(body.toString()) as {
    id: string
    sets: { id: string; amount_vacant: number }[]
  }[]
  const found = events.find(({ id }) => id === event)?.sets.find(({ id }) => id === set)
  if (!found) throw new Error(`the event ${event} is not listed`)
  return found.amount_vacant
}

function readDemoSale({ data_dir }: Target): Sale {
  const { ids, keys } = JSON.parse(readFileSync(join(data_dir, 'demo-keys.json'), 'utf8')) as Imported
  return saleOf(DEMO, { ids, keys })
}

/** Refs and names are new with every run, so that a service that runs on can be measured again. */
async function importSale(target: Target): Promise<Sale> {
  const ref = `bench-${Date.now().toString(36)}`
  const names = { event: `${ref}-event`, set: `${ref}-standing`, key: ref }
  const stdout = await target.parterre(['import', '-'], JSON.stringify(catalogOf(ref, names)))
  return saleOf(names, JSON.parse(stdout) as Imported)
}

function saleOf(names: Sale, { ids, keys }: Imported): Sale {
  const { [names.event]: event, [names.set]: set } = ids
  const key = keys[names.key]
  if (event === undefined || set === undefined || key === undefined) {
    throw new Error(`the catalog lacks ${names.event}, ${names.set} or the key ${names.key}`)
  }
  return { event, set, key }
}

function catalogOf(ref: string, names: Sale): object {
  const [org, vendor, venue] = [`${ref}-org`, `${ref}-vendor`, `${ref}-venue`]
  const place = { default: 'Moscow', en: 'Moscow', ru: 'Москва' }
  const country = { id: 'RU', name: { default: 'Russia', en: 'Russia', ru: 'Россия' } }
  const from = Date.now() + DAY_MS
  return {
    partners: [
      { ref: org, name: `Bench organizer ${ref}` },
      { ref: vendor, name: `Bench vendor ${ref}` },
    ],
    venues: [
      {
        ref: venue,
        name: 'Bench field',
        address: '1 Field road',
        city: { id: 1, name: place, timezone: 'Europe/Moscow', country: 'RU' },
        country,
      },
    ],
    events: [
      {
        ref: names.event,
        org,
        venue,
        title: { text: 'Open air' },
        status: 'public',
        lifetime: { start: new Date(from).toISOString(), finish: new Date(from + DAY_MS).toISOString() },
        sets: [
          { ref: names.set, name: 'Standing', price: '3500.00', with_seats: false, amount: PLACES },
          { ref: `${ref}-vip`, name: 'VIP stand', price: '12000.00', with_seats: false, amount: 500 },
        ],
      },
    ],
    deals: [{ ref: `${ref}-deal`, org, vendor, org_share: '95%', agent: '5%', extra: '4%' }],
    accounts: [{ partner: vendor, ref: `${ref}-deposit`, deposit: '5000000000.00' }],
    keys: [{ name: names.key, partner: vendor }],
  }
}
