import { migrate } from '../../platform/db/migrate.ts'
import { defineCommand, printJson } from '../command.ts'
import { withStore } from '../store.ts'

export const migrateCommand = defineCommand({
  name: 'migrate',
  summary: 'Bring the schema up to date',
  about:
    'Prints the migrations that ran; none when the schema was up to date. `serve` does this at its start.',
  arguments: [],
  options: {},
  async run({ config, log }) {
    const migrations = await withStore(config, log, (db) => migrate(db, (message) => log.debug(message)))
    printJson({ migrations })
  },
})
