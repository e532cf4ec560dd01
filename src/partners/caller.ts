/** Who sends a request: the partner behind an API key, and what the key allows (contract, decisions 8). */

export const ORIGINS = ['api', 'salespoint', 'widget', 'control_panel'] as const
export type Origin = (typeof ORIGINS)[number]

export const PERMISSIONS = ['orders', 'refunds', 'events', 'admin'] as const
export type Permission = (typeof PERMISSIONS)[number]

export type Caller = {
  readonly key_id: string
  readonly partner: { readonly id: string; readonly name: string }
  readonly origin: Origin
  readonly permissions: readonly Permission[]
  /** The only events the key may touch; null means all its partner may. */
  readonly events: readonly string[] | null
}
