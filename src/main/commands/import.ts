import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { ImportFaults as Faults } from '../../events/import/import-catalog.ts'
import { makeKey } from '../../partners/keys.ts'
import { defineCommand, printJson, say } from '../command.ts'
import { limitsOf } from '../config.ts'
import { withStore } from '../store.ts'
import { UserError } from '../user-error.ts'

export const importCommand = defineCommand({
  name: 'import',
  summary: 'Fill or update the catalog from a JSON file',
  about: [
    'FILE is one JSON document: partners, venues, maps, events, deals, accounts, keys; `-` reads it from stdin.',
    'All of it is imported or nothing. Importing again updates what has the same id or ref. Prints the ids by',
    'ref, and the keys that were made now by name: they are shown this once.',
  ].join('\n'),
  arguments: ['FILE'],
  options: {},
  async run({ config, log, arguments: [file] }) {
    const document = parse(await read(file), file)
    // Loaded for this command alone: the others start in half the time without it.
    const { importCatalog, ImportFaults } = await import('../../events/import/import-catalog.ts')
    const result = await withStore(config, log, (db) =>
      importCatalog({ db, document, now: Date.now, makeKey, limits: limitsOf(config), progress: say }),
    ).catch((error: unknown) => {
      throw error instanceof ImportFaults ? describeFaults(error) : error
    })
    printJson(result)
  },
})

async function read(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')
  } catch (cause) {
    throw new UserError(`cannot read ${file}: ${(cause as Error).message}`, { cause })
  }
}

function parse(json: string, file: string): unknown {
  try {
    return JSON.parse(json.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw new UserError(`${file} is not JSON: ${(cause as Error).message}`, { cause })
  }
}

/** One line a fault, each with its JSON path. */
function describeFaults({ faults }: Faults): UserError {
  const lines = faults.map(({ path, message }) => `${path}: ${message}`)
  return new UserError([...lines, `nothing was imported: faults: ${faults.length}`].join('\n'))
}
