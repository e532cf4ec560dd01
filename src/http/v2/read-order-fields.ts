/**
 * The fields of POST and PATCH that describe an order rather than its tickets (contract, decisions 4: Settings,
 * `vendor_data`, promocodes, promokey, `expired_after`). Every fault is a text of its own and names the field; what is too
 * long is refused, never cut.
 */
import { isObjectId } from '../../kernel/ids.ts'
import { isLonger } from '../../kernel/is-longer.ts'
import { parseIsoTime } from '../../kernel/iso-time.ts'
import { isMailAddress } from '../../kernel/mail-address.ts'
import type { Customer, CustomFields, FieldValue, OrderActions, VendorData } from '../../orders/commands.ts'

export const NAME_MAX = 200
export const CODE_MAX = 64
export const PROMOCODES_MAX = 20
export const VENDOR_ORDER_ID_MAX = 64
export const RAW_KEYS_MAX = 20
export const RAW_KEY_MAX = 40
export const RAW_TEXT_MAX = 128
/** Values of custom fields in one list; what a value may be is a rule of the field. */
export const FIELDS_MAX = 100

const PHONE = /^\+?[0-9][0-9 ()-]{2,30}$/
const SETTINGS_SWITCHES = [
  'invitation',
  'send_tickets',
  'courier',
  'subscribe_agree',
  'smart_tickets',
] as const

type Body = Readonly<Record<string, unknown>>
type Fields = Pick<
  OrderActions,
  'promocodes' | 'promokey' | 'settings' | 'vendor_data' | 'custom_fields' | 'expired_after'
>

/** Reads what is there; what is wrong does not come along, except as a fault. */
export function readOrderFields(body: Body, faults: string[]): Fields {
  const promocodes = readPromocodes(body['promocodes'], faults)
  const promokey = readText('promokey', body['promokey'], { max: CODE_MAX, faults })
  const settings = readSettings(body['settings'], faults)
  const vendor_data = readVendorData(body['vendor_data'], faults)
  const custom_fields = readCustomFields(body['custom_fields'], faults)
  const expired_after = readTime('expired_after', body['expired_after'], faults)
  return {
    ...(promocodes && { promocodes }),
    ...(promokey !== undefined && { promokey }),
    ...(settings && { settings }),
    ...(vendor_data && { vendor_data }),
    ...(custom_fields && { custom_fields }),
    ...(expired_after !== undefined && { expired_after }),
  }
}

function readPromocodes(value: unknown, faults: string[]): string[] | undefined {
  const codes = readList('promocodes', value, { max: PROMOCODES_MAX, faults })
  return codes
    ?.map((code, index) => readText(`promocodes[${index}]`, code, { max: CODE_MAX, faults }))
    .filter((code) => code !== undefined)
}

function readSettings(value: unknown, faults: string[]): OrderActions['settings'] {
  const settings = readObject('settings', value, faults)
  if (settings === undefined) return undefined
  const read: Record<string, unknown> = {}
  for (const name of SETTINGS_SWITCHES) {
    const setting = settings[name]
    if (setting === undefined) continue
    if (typeof setting === 'boolean') read[name] = setting
    else faults.push(`settings.${name} must be a boolean`)
  }
  const customer = readCustomer(settings['customer'], faults)
  return { ...read, ...(customer && { customer }) }
}

function readCustomer(value: unknown, faults: string[]): Customer | undefined {
  const customer = readObject('settings.customer', value, faults)
  if (customer === undefined) return undefined
  const field = (name: string) => `settings.customer.${name}`
  const { name, email, phone, lang } = customer
  // Forms send an empty text for what was left empty.
  if (name !== undefined && !(typeof name === 'string' && !isLonger(name, NAME_MAX)))
    faults.push(`${field('name')} must be a string of at most ${NAME_MAX} characters`)
  if (email !== undefined && email !== '' && !(typeof email === 'string' && isMailAddress(email)))
    faults.push(`${field('email')} must be an e-mail address`)
  if (phone !== undefined && phone !== '' && !(typeof phone === 'string' && PHONE.test(phone)))
    faults.push(`${field('phone')} must be a phone number of at most 32 characters`)
  if (lang !== undefined && lang !== 'en' && lang !== 'ru') faults.push(`${field('lang')} must be en or ru`)
  return {
    ...(typeof name === 'string' && { name }),
    ...(typeof email === 'string' && { email }),
    ...(typeof phone === 'string' && { phone }),
    ...((lang === 'en' || lang === 'ru') && { lang }),
  }
}

function readVendorData(value: unknown, faults: string[]): VendorData | undefined {
  const data = readObject('vendor_data', value, faults)
  if (data === undefined) return undefined
  const order_id = readText('vendor_data.order_id', data['order_id'], { max: VENDOR_ORDER_ID_MAX, faults })
  const raw = readObject('vendor_data.raw', data['raw'], faults)
  if (raw !== undefined) checkRaw(raw, faults)
  return {
    ...(order_id !== undefined && { order_id }),
    ...(raw && { raw: raw as NonNullable<VendorData['raw']> }),
  }
}

function checkRaw(raw: Body, faults: string[]): void {
  const keys = Object.keys(raw)
  if (keys.length > RAW_KEYS_MAX) faults.push(`vendor_data.raw must have at most ${RAW_KEYS_MAX} keys`)
  if (keys.some((key) => isLonger(key, RAW_KEY_MAX)))
    faults.push(`vendor_data.raw must have keys of at most ${RAW_KEY_MAX} characters`)
  for (const [key, value] of Object.entries(raw)) {
    // A number that is too large is read as infinity, which JSON cannot give back.
    const is_scalar = ['string', 'boolean'].includes(typeof value) || Number.isFinite(value)
    if (!is_scalar || (typeof value === 'string' && isLonger(value, RAW_TEXT_MAX)))
      faults.push(
        `vendor_data.raw.${key.slice(0, RAW_KEY_MAX)} must be a number, a boolean or a string of at most ${RAW_TEXT_MAX} characters`,
      )
  }
}

function readCustomFields(value: unknown, faults: string[]): CustomFields | undefined {
  const fields = readObject('custom_fields', value, faults)
  if (fields === undefined) return undefined
  const order = readFieldValues('custom_fields.order', fields['order'], faults)
  const tickets = readList('custom_fields.tickets', fields['tickets'], { max: FIELDS_MAX, faults })?.map(
    (entry, index) => {
      const place = `custom_fields.tickets[${index}]`
      const read = readObject(place, entry, faults)
      const ticket = read?.['ticket']
      if (read && !isObjectId(ticket)) faults.push(`${place}.ticket must be an objectid`)
      return {
        ticket: String(ticket),
        fields: readFieldValues(`${place}.fields`, read?.['fields'], faults) ?? [],
      }
    },
  )
  return { ...(order && { order }), ...(tickets && { tickets }) }
}

function readFieldValues(place: string, value: unknown, faults: string[]): FieldValue[] | undefined {
  return readList(place, value, { max: FIELDS_MAX, faults })?.map((entry, index) => {
    const read = readObject(`${place}[${index}]`, entry, faults)
    const id = read?.['id']
    if (read && !isObjectId(id)) faults.push(`${place}[${index}].id must be an objectid`)
    if (read && read['value'] === undefined) faults.push(`${place}[${index}].value is required`)
    return { id: String(id), value: read?.['value'] }
  })
}

type Limit = { readonly max: number; readonly faults: string[] }

function readText(field: string, value: unknown, { max, faults }: Limit): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && value !== '' && !isLonger(value, max)) return value
  faults.push(`${field} must be a string of 1 to ${max} characters`)
  return undefined
}

function readList(field: string, value: unknown, { max, faults }: Limit): unknown[] | undefined {
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.length <= max) return value
  faults.push(`${field} must be a list of at most ${max}`)
  return undefined
}

function readObject(field: string, value: unknown, faults: string[]): Body | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Body
  faults.push(`${field} must be an object`)
  return undefined
}

function readTime(field: string, value: unknown, faults: string[]): number | undefined {
  if (value === undefined) return undefined
  const at = typeof value === 'string' ? parseIsoTime(value) : undefined
  if (at === undefined) faults.push(`${field} must be an ISO 8601 date-time`)
  return at
}
