import { ticketOf } from '../../inventory/seat-plan.ts'
import type { SeatRow } from '../../inventory/seat-plan.ts'
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
const TEXT_LENGTH = 32 * 1024
/** How many of them are a part. A part takes less than a millisecond to write. */
const TEXTS_IN_PART = 8

/**
 * JSON, in UTF-8, of a list of legacy seated tickets (contract, Legacy seated ticket), written part by part as they are asked for:
 * 50,000 tickets are ten megabytes. It is written by hand because of that number; ids, serials and statuses have nothing that
 * JSON escapes. What tickets have in common is joined beforehand: a text of fewer pieces is written faster.
 */
export function* presentTickets(
  seating: EventSeating,
  { statuses, sectors }: TicketFilters,
): Generator<Buffer, void, undefined> {
  const { plan } = seating
  const is_listed = TICKET_STATUSES.map((status) => statuses.includes(status))
  const rows = plan.rows.map((row) => ({
    is_listed: sectors === undefined || sectors.includes(row.sector),
    // By the place of a status in TICKET_STATUSES.
    heads: TICKET_STATUSES.map((status) => headOf(row, status)),
    tail: `,"row":${labelText(row.seat_row)},"sector":"${row.sector}"}}`,
  }))
  // A hall has few labels, each many times.
  const numbers = new Map([...new Set(plan.seat_numbers)].map((number) => [number, labelText(number)]))
  const timeText = createTimeText()
  let texts: Buffer[] = []
  let text = ''
  let begin = '[{"id":"'
  for (let seat = 0; seat < plan.size; seat++) {
    const row = rows[plan.row_of[seat] as number]!
    const place = seating.statuses[seat] as number
    if (!row.is_listed || is_listed[place] !== true) continue
    const till = place === RESERVED ? timeText(seating.reserved_till[seat] as number) : 'null'
    const number = numbers.get(plan.seat_numbers[seat] as string)
    text += `${begin}${ticketOf(plan, seat)}","number":${plan.numbers[seat]}${row.heads[place]}${till}${SEAT}${number}${row.tail}`
    begin = ',{"id":"'
    if (text.length < TEXT_LENGTH) continue
    texts.push(Buffer.from(text))
    text = ''
    if (texts.length < TEXTS_IN_PART) continue
    yield Buffer.concat(texts)
    texts = []
  }
  const is_empty = begin.startsWith('[')
  yield Buffer.concat([...texts, Buffer.from(`${text}${is_empty ? '[' : ''}]`)])
}

const RESERVED = TICKET_STATUSES.indexOf('reserved')
const SEAT = ',"seat":{"number":'

function headOf({ serial, set }: SeatRow, status: TicketStatus): string {
  return `,"serial":"${serial}","set":"${set}","status":"${status}","reserved_till":`
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
