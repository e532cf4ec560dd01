/** The settings of the service: the environment, checked once at the start. docs/configuration.md is the same table. */
import { Type, type Static, type TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import { HIGHEST_LIMITS, USUAL_LIMITS, type OrderLimits } from '../events/order-limits.ts'
import { LOG_LEVELS } from '../platform/log.ts'
import { UserError } from './user-error.ts'

const port = (options: object) => Type.Integer({ minimum: 0, maximum: 65_535, ...options })

const SCHEMA = Type.Object({
  HOST: Type.String({ default: '127.0.0.1', description: 'Address the service listens on.' }),
  PORT: port({ default: 8080, description: 'Port of the REST API; 0 takes any free one.' }),
  GRPC_PORT: port({ default: 8081, description: 'Port of the gRPC API; 0 takes any free one.' }),
  JOBS_PORT: port({
    default: 8082,
    description: 'Port of health and metrics of a process with --only jobs; 0 takes any free one.',
  }),
  PUBLIC_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#]+(/[^?#]*)?$',
      title: 'an http:// or https:// URL',
      description: 'Base URL sellers use, when it is not the address listened on (behind a proxy).',
    }),
  ),
  TLS_CERT: Type.Optional(
    Type.String({
      title: 'a file',
      description:
        'Certificate chain in PEM, the own first; with TLS_KEY both ports of the API speak TLS alone.',
    }),
  ),
  TLS_KEY: Type.Optional(
    Type.String({ title: 'a file', description: 'Private key of TLS_CERT in PEM, without a passphrase.' }),
  ),
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://',
      title: 'a postgres:// or postgresql:// URL',
      description: 'PostgreSQL 15 or newer to use; without it the service runs its own in DATA_DIR.',
    }),
  ),
  DATA_DIR: Type.String({
    default: './data',
    description:
      'Folder of the embedded PostgreSQL, of the keys of the demo sellers, of the outbox and of exports until they are mailed.',
  }),
  SMTP_URL: Type.Optional(
    Type.String({
      pattern: '^smtps?://[^/?#]+',
      title: 'an smtp:// or smtps:// URL',
      description:
        'Server mails are sent by, with user and password; without it they are written to DATA_DIR/outbox.',
    }),
  ),
  MAIL_FROM: Type.String({
    pattern: '^([^<>@",;:\\r\\n]+ <[^<>@\\s,;]+@[^<>@\\s,;]+>|[^<>@\\s,;]+@[^<>@\\s,;]+)$',
    title: 'an address, or a name and an address in <>',
    default: 'Parterre <tickets@localhost>',
    description: 'Sender of mails; a server of SMTP_URL wants one of its own.',
  }),
  POOL_SIZE: Type.Integer({
    minimum: 1,
    maximum: 1000,
    default: 10,
    description:
      'Most database connections of the pool of a process; each lane of the desk has three of its own besides, and unpaid orders end on two.',
  }),
  DESK_LANES: Type.Integer({
    minimum: 1,
    maximum: 256,
    default: 2,
    description:
      'Lanes of the order desk: events are spread over them, each has up to two batches of orders in flight.',
  }),
  DESK_BATCH_MAX: Type.Integer({
    minimum: 1,
    maximum: 1000,
    default: 128,
    description: 'Most order requests that share a transaction.',
  }),
  DESK_QUEUE_MAX: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 5000,
    description: 'Most order requests that wait in a lane; further ones are answered 503.',
  }),
  DESK_WAIT_MAX_MS: Type.Integer({
    minimum: 100,
    maximum: 60_000,
    default: 700,
    description:
      'Milliseconds that an order request waits for its transaction to begin at most, then it is answered 503; so are new ones while one in its lane has waited half as long.',
  }),
  ORDER_LIFETIME_S: Type.Integer({
    minimum: 1,
    maximum: HIGHEST_LIMITS.order_lifetime_s,
    default: USUAL_LIMITS.order_lifetime_s,
    description:
      'Seconds that an unpaid order holds its tickets, for events that are imported without a time of their own.',
  }),
  ORDER_TICKETS_MAX: Type.Integer({
    minimum: 1,
    maximum: HIGHEST_LIMITS.max_tickets_per_order,
    default: USUAL_LIMITS.max_tickets_per_order,
    description: 'Most tickets in an order, for events that are imported without a number of their own.',
  }),
  RATE_LIMIT: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 0,
    description: 'Requests a second that one key may send; 0 sets no limit.',
  }),
  SHUTDOWN_DELAY_MS: Type.Integer({
    minimum: 0,
    maximum: 300_000,
    default: 2000,
    description:
      'Milliseconds that the API serves as ever after SIGTERM, but not ready, until balancers have let go; then it waits as long for idle connections, and takes no new ones. SIGINT waits for neither.',
  }),
  WEBHOOKS_ALLOW_PRIVATE: Type.Enum(['off', 'on'], {
    default: 'off',
    description: '`on` lets webhooks reach addresses that are not public: for an intranet, and for tests.',
  }),
  DEMO_CATALOG: Type.Enum(['auto', 'off'], {
    default: 'auto',
    description: '`auto` imports the demo catalog when the store is empty, `off` never does.',
  }),
  LOG_LEVEL: Type.Enum([...LOG_LEVELS], {
    default: 'info',
    description: 'Least severe log lines that are written (JSON, on stderr).',
  }),
})

type Environment = Static<typeof SCHEMA>

/** The settings under their names in lower case. */
export type Config = { readonly [Name in keyof Environment as Lowercase<Name>]: Environment[Name] }

type Described = TSchema & {
  title?: string
  description: string
  default?: string | number
  minimum?: number
  maximum?: number
  enum?: string[]
}

const SCHEMAS = Object.entries<TSchema>(SCHEMA.properties) as [string, Described][]

export type Setting = { name: string; values: string; default: string; description: string }

/** What the settings say of orders. */
export function limitsOf({ order_lifetime_s, order_tickets_max }: Config): OrderLimits {
  return { order_lifetime_s, max_tickets_per_order: order_tickets_max }
}

/** Every setting, for people: which values it takes, its default (empty when it has none), what it does. */
export const SETTINGS: readonly Setting[] = SCHEMAS.map(([name, schema]) => ({
  name,
  values: valuesOf(schema),
  default: String(schema.default ?? ''),
  description: schema.description,
}))

/** Reads the settings; an empty one counts as absent. Throws UserError naming every one that is wrong. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = []
  const values = SCHEMAS.map(([name, schema]) => {
    const text = environment[name]
    if (text === undefined || text === '') return [name.toLowerCase(), schema.default]
    const value = schema.minimum !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : text
    // The value is not repeated: a database URL holds a password.
    if (!Check(schema, value)) faults.push(`${name} must be ${valuesOf(schema)}`)
    return [name.toLowerCase(), value]
  })
  for (const [name, other] of [
    ['TLS_CERT', 'TLS_KEY'],
    ['TLS_KEY', 'TLS_CERT'],
  ] as const) {
    if (environment[name] && !environment[other]) faults.push(`${name} needs ${other} too`)
  }
  if (faults.length > 0) throw new UserError(faults.join('\n'))
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Config
}

function valuesOf(schema: Described): string {
  if (schema.title !== undefined) return schema.title
  if (schema.minimum !== undefined) return `an integer from ${schema.minimum} to ${schema.maximum}`
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`
  return 'text'
}
