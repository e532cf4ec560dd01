/**
 * The settings of an order and who may set what (contract, Order `settings`; decisions 4, Settings). They are merged over
 * what is set, the customer field by field. An invitation is the organizer's alone, and not from the API or the widget; a
 * courier belongs to the salespoint. Smart tickets follow the event's integration: `none` allows no true, `only` no false.
 */

type Customer = {
  readonly name?: string
  readonly email?: string
  readonly phone?: string
  readonly lang?: 'en' | 'ru'
}

export type Settings = {
  readonly invitation?: boolean
  readonly send_tickets?: boolean
  readonly courier?: boolean
  readonly subscribe_agree?: boolean
  readonly smart_tickets?: boolean
  readonly customer?: Customer
}

export type SettingsFault =
  | 'invitation_not_by_org'
  | 'invitation_from_elsewhere'
  | 'courier_from_elsewhere'
  | 'smart_tickets_disabled'
  | 'smart_tickets_only'

type Seller = {
  readonly origin: 'api' | 'salespoint' | 'widget' | 'control_panel'
  readonly is_org: boolean
  readonly smart_tickets: { readonly name: string; readonly mode: 'none' | 'only' | 'any' } | null
}

/** What forbids the change, or undefined. */
export function settingsFault(
  change: Settings,
  { origin, is_org, smart_tickets }: Seller,
): SettingsFault | undefined {
  if (change.invitation === true) {
    if (!is_org) return 'invitation_not_by_org'
    if (origin === 'api' || origin === 'widget') return 'invitation_from_elsewhere'
  }
  if (change.courier === true && origin !== 'salespoint') return 'courier_from_elsewhere'
  const mode = smart_tickets?.mode
  if (change.smart_tickets === true && mode === 'none') return 'smart_tickets_disabled'
  if (change.smart_tickets === false && mode === 'only') return 'smart_tickets_only'
  return undefined
}

export function mergeSettings(settings: Settings, change: Settings): Settings {
  const customer = { ...settings.customer, ...change.customer }
  return {
    ...settings,
    ...change,
    ...(Object.keys(customer).length > 0 && { customer }),
  }
}
