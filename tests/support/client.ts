export type Answer<Body = unknown> = { status: number; headers: Headers; body: Body }

/** An order operation's body, as far as tests read it (contract, Resources and their fields). */
export type OrderBody = {
  data: OrderData
  refs: Record<string, Record<string, Record<string, unknown>>>
  errors?: string[]
}
export type OrderData = {
  id: string
  status: string
  created_at: string
  done_at?: string
  expired_after: string
  event: string
  number: number
  org: string
  origin: string
  vendor: string
  code?: string
  tickets: TicketData[]
  values: Record<string, unknown>
}
export type TicketData = {
  id: string
  serial: string
  number: number
  set: string
  seat?: { row: string; number: string; sector: string }
  status: string
  barcode: string | null
}

export type Client = ReturnType<typeof createClient>

/** A seller's client. `key` undefined sends no authorization. Bodies are JSON, or sent as they are when text. */
export function createClient(base_url: string, key?: string) {
  async function send<Body>(method: string, path: string, options: SendOptions = {}): Promise<Answer<Body>> {
    const { body, headers } = options
    const response = await fetch(`${base_url}${path}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `key ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const is_json = response.headers.get('content-type')?.includes('json') === true
    return {
      status: response.status,
      headers: response.headers,
      body: (is_json ? JSON.parse(text) : text) as Body,
    }
  }

  const ORDERS = '/v2/resources/orders'
  return {
    send,
    get: <Body = unknown>(path: string, headers?: Record<string, string>) =>
      send<Body>('GET', path, headers ? { headers } : {}),
    createOrder: (body: unknown) => send<OrderBody>('POST', ORDERS, { body }),
    changeOrder: (order: string, body: unknown) => send<OrderBody>('PATCH', `${ORDERS}/${order}`, { body }),
    getOrder: (order: string) => send<OrderBody>('GET', `${ORDERS}/${order}`),
  }
}

export type SendOptions = { body?: unknown; headers?: Record<string, string> }
