import { parseIsoTime } from '../../kernel/iso-time.ts'
import { ORIGINS, PERMISSIONS } from '../../partners/caller.ts'
import { createKey, listKeys, revokeKey } from '../../partners/keys.ts'
import { defineCommand, printJson } from '../command.ts'
import { explainPartnerError } from '../partner-error-texts.ts'
import { withStore } from '../store.ts'
import { UserError } from '../user-error.ts'

const partner = {
  type: 'string',
  value: 'PARTNER',
  description: 'Id, ref or whole name of a partner.',
} as const

export const createKeyCommand = defineCommand({
  name: 'keys create',
  summary: 'Make an API key of a partner and show it, this once',
  arguments: [],
  options: {
    partner: { ...partner, required: true },
    name: {
      type: 'string',
      required: true,
      value: 'NAME',
      description: 'Tells the keys of a partner apart.',
    },
    origin: {
      type: 'string',
      value: 'ORIGIN',
      description: `Where its orders come from: ${ORIGINS.join(', ')}. Default: api.`,
    },
    permission: {
      type: 'string',
      multiple: true,
      value: 'PERMISSION',
      description: `What it may do: ${PERMISSIONS.join(', ')}. Default: all but admin.`,
    },
    event: {
      type: 'string',
      multiple: true,
      value: 'ID',
      description: 'An event it may touch. Default: all its partner may.',
    },
    expires: { type: 'string', value: 'TIME', description: 'When it ends, ISO 8601 (UTC). Default: never.' },
  },
  async run({ config, log, values }) {
    const now = Date.now()
    const expires_at = values.expires === undefined ? undefined : parseIsoTime(values.expires)
    if (values.expires !== undefined && (expires_at === undefined || expires_at <= now)) {
      throw new UserError('--expires must be an ISO 8601 time to come', { exit_code: 2 })
    }
    const options = {
      partner: values.partner,
      name: values.name,
      origin: values.origin === undefined ? undefined : oneOf(ORIGINS, values.origin, '--origin'),
      permissions: values.permission?.map((text) => oneOf(PERMISSIONS, text, '--permission')),
      events: values.event,
      expires_at,
      now,
    }
    printJson(await withStore(config, log, (db) => createKey({ db, ...options })).catch(explainPartnerError))
  },
})

export const listKeysCommand = defineCommand({
  name: 'keys list',
  summary: 'List API keys, without what opens anything',
  arguments: [],
  options: { partner },
  async run({ config, log, values }) {
    const keys = await withStore(config, log, (db) => listKeys(db, values.partner)).catch(explainPartnerError)
    printJson(
      keys.map((key) => ({
        id: key.id,
        name: key.name,
        partner: { id: key.partner, name: key.partner_name },
        hint: key.hint,
        origin: key.origin,
        permissions: key.permissions,
        events: key.events,
        created_at: isoTime(key.created_at),
        expires_at: isoTime(key.expires_at),
        revoked_at: isoTime(key.revoked_at),
      })),
    )
  },
})

export const revokeKeyCommand = defineCommand({
  name: 'keys revoke',
  summary: 'Revoke an API key: within a second no process takes it',
  about: 'KEY is its id or name. Revoking it again changes nothing.',
  arguments: ['KEY'],
  options: {
    partner: { ...partner, description: 'Whose key it is, when partners have keys of the same name.' },
  },
  async run({ config, log, arguments: [key], values }) {
    const revoked = await withStore(config, log, (db) =>
      revokeKey({ db, key, partner: values.partner, now: Date.now() }),
    ).catch(explainPartnerError)
    printJson({ ...revoked, revoked_at: isoTime(revoked.revoked_at) })
  },
})

function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

function oneOf<Choice extends string>(choices: readonly Choice[], text: string, option: string): Choice {
  const found = choices.find((choice) => choice === text)
  if (found === undefined)
    throw new UserError(`${option} must be one of ${choices.join(', ')}`, { exit_code: 2 })
  return found
}
