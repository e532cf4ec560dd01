/** The demo catalog: imported into an empty store, so that a first start has something to sell. */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createAuthenticate } from '../partners/authenticate.ts'
import { makeKey } from '../partners/keys.ts'
import type { Db } from '../platform/db/db.ts'
import { limitsOf, type Config } from './config.ts'

const DOCUMENT = new URL('../../demo/catalog.json', import.meta.url)
/** The names in the document of what the example sells, and of the key of the seller that does. */
const EXAMPLE = { event: 'festival', set: 'festival-standing', key: 'biletik' }

/** What the import of the demo catalog answered: ids by ref, keys by name. */
type Demo = { ids: Record<string, string>; keys: Record<string, string> }

/** Imports the demo catalog if there are no partners yet. The keys, of which the store has hashes only, go to DATA_DIR. */
export async function importDemo({ db, config }: { db: Db; config: Config }): Promise<boolean> {
  const { data_dir } = config
  const [found] = await db.query({ name: 'main_any_partner', text: 'SELECT FROM partners LIMIT 1' })
  if (found) return false
  // Wanted once in the life of a store: no later start waits for it to load.
  const { importCatalog } = await import('../events/import/import-catalog.ts')
  const document: unknown = JSON.parse(await readFile(DOCUMENT, 'utf8'))
  const demo: Demo = await importCatalog({ db, document, now: Date.now, makeKey, limits: limitsOf(config) })
  // A process that started at the same time was faster, and has the keys.
  if (Object.keys(demo.keys).length === 0) return false
  const file = fileIn(data_dir)
  await mkdir(data_dir, { recursive: true, mode: 0o711 })
  await writeFile(file, `${JSON.stringify(demo, undefined, 2)}\n`, { mode: 0o600 })
  // The mode above is that of a new file only.
  await chmod(file, 0o600)
  return true
}

/** Those demo keys that the store still takes, and a command line that makes an order with one; '' when there are none. */
export async function describeDemo(options: { db: Db; data_dir: string; base_url: string }): Promise<string> {
  const demo = await readDemo(options.data_dir)
  if (!demo) return ''
  const authenticate = createAuthenticate({ db: options.db })
  const answers = await Promise.all(
    Object.entries(demo.keys).map(async ([name, key]) => {
      const caller = await authenticate(`key ${key}`).catch(() => undefined)
      return caller && { name, key, partner: caller.partner.name }
    }),
  )
  const known = answers.filter((answer) => answer !== undefined)
  if (known.length === 0) return ''
  const lines = known.map(({ name, key, partner }) => `  ${key}  ${partner} (${name})`)
  const seller = known.find(({ name }) => name === EXAMPLE.key)
  const example = seller ? describeExample(demo, { key: seller.key, base_url: options.base_url }) : []
  return ['', 'Demo keys:', ...lines, '', ...example].join('\n')
}

function describeExample({ ids }: Demo, { key, base_url }: { key: string; base_url: string }): string[] {
  const body = JSON.stringify({ event: ids[EXAMPLE.event], random: { [String(ids[EXAMPLE.set])]: 2 } })
  return [
    'Hold two tickets of the festival:',
    `  curl -s ${base_url}/v2/resources/orders -H 'Authorization: key ${key}' -H 'Content-Type: application/json' -d '${body}'`,
    '',
  ]
}

async function readDemo(data_dir: string): Promise<Demo | undefined> {
  try {
    return JSON.parse(await readFile(fileIn(data_dir), 'utf8')) as Demo
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function fileIn(data_dir: string): string {
  return join(data_dir, 'demo-keys.json')
}
