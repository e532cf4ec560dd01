import { expect, test } from 'vitest'
import { SETTINGS } from '../../src/main/config.ts'
import { runParterre } from '../support/service.ts'

// What needs no database. A wrong command line is told on stderr with the usage, exit code 2.

const COMMANDS = [
  'serve',
  'migrate',
  'import',
  'keys create',
  'keys list',
  'keys revoke',
  'accounts deposit',
  'accounts show',
  'webhooks list',
  'webhooks secret',
  'webhooks enable',
  'webhooks deliveries',
  'webhooks replay',
  'verify',
]

test.each([[[]], [['--help']], [['-h']]])('%j lists the commands', async (words) => {
  const { code, stdout, stderr } = await runParterre(words)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const command of COMMANDS) expect(stdout).toContain(`\n  ${command} `)
})

test.each(COMMANDS)('%s --help tells its usage, whatever the settings are', async (command) => {
  const { code, stdout, stderr } = await runParterre([...command.split(' '), '--help'], {
    env: { PORT: 'none' },
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(new RegExp(`^Usage: parterre ${command}\\b`))
  expect(stdout).toContain('--help')
})

test('keys --help lists the commands of keys', async () => {
  const { code, stdout } = await runParterre(['keys', '--help'])
  expect(code).toBe(0)
  expect(stdout).toContain('keys revoke')
  expect(stdout).not.toContain('accounts')
})

test('serve --help lists every setting', async () => {
  const { stdout } = await runParterre(['serve', '--help'])
  for (const { name } of SETTINGS) expect(stdout).toContain(`  ${name} `)
})

test.each([
  [['sell'], "unknown command 'sell'"],
  [['keys'], "unknown command 'keys'"],
  [['keys', 'steal'], "unknown command 'keys steal'"],
  [['migrate', 'now'], "unexpected argument 'now'"],
  [['verify', '--quick'], "Unknown option '--quick'"],
  [['import'], 'FILE missing'],
  [['keys', 'create', '--name', 'x'], '--partner missing'],
  [['keys', 'create', '--partner', 'p', '--name'], "Option '--name <value>' argument missing"],
  [
    ['keys', 'create', '--partner', 'p', '--name', 'n', '--origin', 'moon'],
    '--origin must be one of api, salespoint, widget, control_panel',
  ],
  [
    ['keys', 'create', '--partner', 'p', '--name', 'n', '--permission', 'all'],
    '--permission must be one of orders, refunds, events, admin',
  ],
  [
    ['keys', 'create', '--partner', 'p', '--name', 'n', '--expires', '2020-01-01'],
    '--expires must be an ISO 8601 time to come',
  ],
  [['accounts', 'deposit', 'p'], 'AMOUNT missing'],
  [['accounts', 'deposit', 'p', '10'], 'AMOUNT must be above zero'],
  [['accounts', 'deposit', 'p', '0.00'], 'AMOUNT must be above zero'],
  [['accounts', 'deposit', 'p', '10.00', '--currency', 'rub'], '--currency must be three capital letters'],
  [['accounts', 'show', 'p', '--transfers', 'all'], '--transfers must be a count'],
  [['webhooks', 'replay'], 'WEBHOOK missing'],
  [['webhooks', 'replay', 'w', '--since', 'noon'], '--since must be an ISO 8601 time'],
  [['webhooks', 'replay', 'w', '--since', '2026-01-01', '--notification', 'n'], 'exclude each other'],
  [['webhooks', 'deliveries', 'p', '--status', 'lost'], '--status must be one of pending, delivered, failed'],
  [['webhooks', 'deliveries', 'p', '--count', 'all'], '--count must be a count'],
  [['serve', '--only', 'mail'], '--only must be api or jobs'],
])('%j: %s', async (words, message) => {
  const { code, stdout, stderr } = await runParterre(words, {
    env: { DATABASE_URL: 'postgres://127.0.0.1:1/none' },
  })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(message)
  expect(stderr).not.toContain('    at ')
})

test.each([['serve'], ['migrate']])('%s names every setting that is wrong', async (command) => {
  const env = { PORT: 'http', RATE_LIMIT: '-1', DATABASE_URL: 'mysql://me:secret@host/db' }
  const { code, stdout, stderr } = await runParterre([command], { env })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toBe(
    'PORT must be an integer from 0 to 65535\n' +
      'DATABASE_URL must be a postgres:// or postgresql:// URL\n' +
      'RATE_LIMIT must be an integer from 0 to 1000000\n',
  )
})
