/** `parterre <command>`: finds the command, and turns what it throws into a message and an exit code. */
import { existsSync } from 'node:fs'
import { inspect } from 'node:util'
import { createLog } from '../platform/log.ts'
import { columns, say, type Command } from './command.ts'
import { depositCommand, showAccountsCommand } from './commands/accounts.ts'
import { importCommand } from './commands/import.ts'
import { createKeyCommand, listKeysCommand, revokeKeyCommand } from './commands/keys.ts'
import { migrateCommand } from './commands/migrate.ts'
import { serveCommand } from './commands/serve.ts'
import { verifyCommand } from './commands/verify.ts'
import {
  enableWebhookCommand,
  listDeliveriesCommand,
  listWebhooksCommand,
  replayCommand,
  webhookSecretCommand,
} from './commands/webhooks.ts'
import { readConfig } from './config.ts'
import { UserError } from './user-error.ts'

const OLDEST_NODE = 24

const COMMANDS: readonly Command[] = [
  serveCommand,
  migrateCommand,
  importCommand,
  createKeyCommand,
  listKeysCommand,
  revokeKeyCommand,
  depositCommand,
  showAccountsCommand,
  listWebhooksCommand,
  webhookSecretCommand,
  enableWebhookCommand,
  listDeliveriesCommand,
  replayCommand,
  verifyCommand,
]

async function main(words: string[]): Promise<void> {
  if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
    throw new UserError(
      `Node ${OLDEST_NODE} or newer is needed, this is ${process.versions.node}: use the npm scripts`,
    )
  }
  const command = findCommand(words)
  const asks_help = words.includes('--help') || words.includes('-h')
  if (!command) {
    const group = helpOf(COMMANDS.filter(({ name }) => name.startsWith(`${words[0]} `)))
    if (asks_help || words.length === 0) return void process.stdout.write(group ?? helpOf(COMMANDS)!)
    throw new UserError(`unknown command '${words.join(' ')}'\n\n${group ?? helpOf(COMMANDS)}`, {
      exit_code: 2,
    })
  }
  if (asks_help) return void process.stdout.write(command.help())
  if (existsSync('.env')) process.loadEnvFile('.env')
  const config = readConfig(process.env)
  await command.run(words.slice(command.name.split(' ').length), { config, log: createLog(config.log_level) })
}

function findCommand(words: string[]): Command | undefined {
  return COMMANDS.find(({ name }) => name.split(' ').every((word, index) => words[index] === word))
}

function helpOf(commands: readonly Command[]): string | undefined {
  if (commands.length === 0) return undefined
  return [
    'Usage: npm run -s parterre -- <command>',
    '',
    'Commands:',
    ...columns(commands.map(({ name, summary }) => [name, summary])),
    '',
    '`<command> --help` says more. Settings come from the environment and from .env; `serve --help` lists them.',
    '',
  ].join('\n')
}

// A reader that went away (`| head`) ends no service.
process.stdout.on('error', () => {})
try {
  await main(process.argv.slice(2))
} catch (error) {
  // Anything but a UserError is a bug, and its stack is wanted.
  say(error instanceof UserError ? error.message : inspect(error))
  process.exitCode = error instanceof UserError ? error.exit_code : 1
}
