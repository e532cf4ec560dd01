import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readConfig, SETTINGS } from './config.ts'

test('without settings there are the defaults', () => {
  expect(readConfig({})).toEqual({
    host: '127.0.0.1',
    port: 8080,
    grpc_port: 8081,
    data_dir: './data',
    mail_from: 'Parterre <tickets@localhost>',
    pool_size: 10,
    desk_lanes: 2,
    desk_batch_max: 128,
    desk_queue_max: 5000,
    desk_wait_max_ms: 700,
    order_lifetime_s: 900,
    order_tickets_max: 50,
    rate_limit: 0,
    shutdown_delay_ms: 2000,
    webhooks_allow_private: 'off',
    demo_catalog: 'auto',
    jobs_port: 8082,
    log_level: 'info',
  })
})

test('settings are read in their own kind; an empty one is as none', () => {
  const config = readConfig({ PORT: '0', DATABASE_URL: 'postgres://u@h/d', DATA_DIR: '', LOG_LEVEL: 'debug' })
  expect(config).toMatchObject({
    port: 0,
    database_url: 'postgres://u@h/d',
    data_dir: './data',
    log_level: 'debug',
  })
})

test.each([
  ['PORT', 'http', 'PORT must be an integer from 0 to 65535'],
  ['PORT', '65536', 'PORT must be an integer from 0 to 65535'],
  ['PORT', '-1', 'PORT must be an integer from 0 to 65535'],
  ['GRPC_PORT', '80.5', 'GRPC_PORT must be an integer from 0 to 65535'],
  ['RATE_LIMIT', '1e3', 'RATE_LIMIT must be an integer from 0 to 1000000'],
  ['DESK_LANES', '0', 'DESK_LANES must be an integer from 1 to 256'],
  ['DATABASE_URL', 'mysql://me:secret@h/d', 'DATABASE_URL must be a postgres:// or postgresql:// URL'],
  ['PUBLIC_URL', 'tickets.example', 'PUBLIC_URL must be an http:// or https:// URL'],
  ['WEBHOOKS_ALLOW_PRIVATE', 'true', 'WEBHOOKS_ALLOW_PRIVATE must be one of off, on'],
  ['SMTP_URL', 'http://me:secret@h', 'SMTP_URL must be an smtp:// or smtps:// URL'],
  ['MAIL_FROM', 'Ann', 'MAIL_FROM must be an address, or a name and an address in <>'],
  ['MAIL_FROM', 'a@b.c\r\nBcc: d@e.f', 'MAIL_FROM must be an address, or a name and an address in <>'],
  ['DEMO_CATALOG', 'on', 'DEMO_CATALOG must be one of auto, off'],
  ['LOG_LEVEL', 'INFO', 'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent'],
])('%s=%s is refused', (name, value, message) => {
  expect(() => readConfig({ [name]: value })).toThrow(expect.objectContaining({ message }))
})

test('every fault is named at once', () => {
  expect(() => readConfig({ PORT: 'x', DESK_BATCH_MAX: '0', LOG_LEVEL: 'loud', TLS_KEY: 'a' })).toThrow(
    /^PORT must .*\nDESK_BATCH_MAX must .*\nLOG_LEVEL must .*\nTLS_KEY needs TLS_CERT too$/,
  )
})

test('certificate and key are set both or neither', () => {
  expect(readConfig({ TLS_CERT: 'a.pem', TLS_KEY: 'b.pem' })).toMatchObject({
    tls_cert: 'a.pem',
    tls_key: 'b.pem',
  })
  expect(readConfig({ TLS_CERT: '', TLS_KEY: '' })).not.toHaveProperty('tls_cert')
  expect(() => readConfig({ TLS_CERT: 'a.pem', TLS_KEY: '' })).toThrow(/^TLS_CERT needs TLS_KEY too$/)
  expect(() => readConfig({ TLS_KEY: 'b.pem' })).toThrow(/^TLS_KEY needs TLS_CERT too$/)
})

test('docs/configuration.md has every setting as it is', () => {
  const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  expect(rows).toEqual(
    SETTINGS.map(({ name, values, default: initial, description }) => [
      '',
      `\`${name}\``,
      values,
      initial && `\`${initial}\``,
      description,
      '',
    ]),
  )
})
