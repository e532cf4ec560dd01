import { ticketOf } from '../../inventory/seat-plan.ts'
import { TICKET_STATUSES } from '../../inventory/seating.ts'
import type { EventSeating, TicketStatus } from '../../inventory/seating.ts'
import { formatV1Time } from '../../kernel/iso-time.ts'
import { seatLabel } from './seat-label.ts'

export type TicketFilters = {
  readonly statuses: readonly TicketStatus[]
  /** Of these sectors; undefined: of all. */
  readonly sectors: readonly string[] | undefined
}

/** Of the texts that are joined into one: larger ones take longer to join than to encode. */
const CHUNK_LENGTH = 32 * 1024

/**
 * JSON, in UTF-8, of a list of legacy seated tickets (contract, Legacy seated ticket). It is written by hand because a hall
 * has 50,000 of them; ids, serials and statuses have nothing that JSON escapes.
 */
export function presentTickets(seating: EventSeating, { statuses, sectors }: TicketFilters): Buffer {
  const { plan } = seating
  const is_listed = TICKET_STATUSES.map((status) => statuses.includes(status))
  const rows = plan.rows.map(({ sector, seat_row, set, serial }) => ({
    is_listed: sectors === undefined || sectors.includes(sector),
    head: `,"serial":"${serial}","set":"${set}","status":"`,
    tail: `,"row":${labelText(seat_row)},"sector":"${sector}"}}`,
  }))
  // A hall has few labels, each many times.
  const numbers = new Map([...new Set(plan.seat_numbers)].map((number) => [number, labelText(number)]))
  const timeText = createTimeText()
  const chunks: Buffer[] = []
  let text = ''
  let separator = '['
  for (const [seat, place] of seating.statuses.entries()) {
    const row = rows[plan.row_of[seat] as number]!
    if (!row.is_listed || is_listed[place] !== true) continue
    const status = TICKET_STATUSES[place] as TicketStatus
    const reserved_till = status === 'reserved' ? timeText(seating.reserved_till[seat] as number) : 'null'
    text +=
      `${separator}{"id":"${ticketOf(plan, seat)}","number":${plan.numbers[seat]}${row.head}${status}"` +
      `,"reserved_till":${reserved_till},"seat":{"number":${numbers.get(plan.seat_numbers[seat] as string)}${row.tail}`
    separator = ','
    if (text.length < CHUNK_LENGTH) continue
    chunks.push(Buffer.from(text))
    text = ''
  }
  const end = separator === '[' ? '[]' : ']'
  return Buffer.concat([...chunks, Buffer.from(text + end)])
}

function labelText(label: string): string {
  return JSON.stringify(seatLabel(label))
}

/** The tickets of an order are reserved till the same moment. */
function createTimeText() {
  let last = NaN
  let text = ''
  return (at: number): string => {
    if (at !== last) text = `"${formatV1Time(at)}"`
    last = at
    return text
  }
}
