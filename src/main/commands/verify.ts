import { defineCommand, say } from '../command.ts'
import { withStore } from '../store.ts'
import { UserError } from '../user-error.ts'

export const verifyCommand = defineCommand({
  name: 'verify',
  summary: 'Check every invariant of the stored data, in one read-only pass',
  about: 'Prints what is broken, and exits with 1 then. Beside a running service it sees one moment of it.',
  arguments: [],
  options: {},
  async run({ config, log }) {
    const { verify } = await import('../verify/verify.ts')
    const breaches = await withStore(config, log, verify)
    for (const { invariant, count, examples } of breaches) {
      process.stdout.write([`${invariant}: ${count}`, ...examples.map((line) => `  ${line}`), ''].join('\n'))
    }
    if (breaches.length > 0) throw new UserError(`${breaches.length} invariants are broken`)
    say('every invariant holds')
  },
})
