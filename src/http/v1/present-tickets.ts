import type { SeatedTicket } from '../../inventory/list-tickets.ts'
import { formatV1Time } from '../../kernel/iso-time.ts'
import { seatLabel } from './seat-label.ts'

/**
 * JSON text of a list of legacy seated tickets (contract, Legacy seated ticket). It is written by hand because a hall has
 * 50,000 of them; ids, serials and statuses have nothing that JSON escapes.
 */
export function presentTickets(tickets: readonly SeatedTicket[]): string {
  // A hall has few labels, each many times.
  const labels = new Map<string, string>()
  const labelText = (label: string): string => {
    let text = labels.get(label)
    if (text === undefined) labels.set(label, (text = JSON.stringify(seatLabel(label))))
    return text
  }
  const texts = tickets.map(
    ({ id, number, serial, set, status, reserved_till, sector, seat_row, seat_number }) =>
      `{"id":"${id}","number":${number},"serial":"${serial}","set":"${set}","status":"${status}"` +
      `,"reserved_till":${reserved_till === null ? 'null' : `"${formatV1Time(reserved_till)}"`}` +
      `,"seat":{"number":${labelText(seat_number)},"row":${labelText(seat_row)},"sector":"${sector}"}}`,
  )
  return `[${texts.join()}]`
}
