/** What orders of an event may be: for how many seconds they hold their tickets, and how many tickets. */
export type OrderLimits = {
  readonly order_lifetime_s: number
  readonly max_tickets_per_order: number
}

/** The most that the platform or an event may say; the lifetime is a week. */
export const HIGHEST_LIMITS: OrderLimits = { order_lifetime_s: 604_800, max_tickets_per_order: 1000 }

/** Where neither the platform nor the event says otherwise. */
export const USUAL_LIMITS: OrderLimits = { order_lifetime_s: 900, max_tickets_per_order: 50 }
