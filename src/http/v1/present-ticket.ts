import type { SeatedTicket } from '../../inventory/list-tickets.ts'
import { formatV1Time } from '../../kernel/iso-time.ts'
import { seatLabel } from './seat-label.ts'

/**
 * JSON text of the legacy seated ticket (contract, Legacy seated ticket), written by hand because a hall has 50,000 of them.
 * Ids, serials and statuses have nothing that JSON escapes.
 */
export function presentTicket(ticket: SeatedTicket): string {
  const { id, number, serial, set, status, reserved_till, sector } = ticket
  const till = reserved_till === null ? 'null' : `"${formatV1Time(reserved_till)}"`
  return (
    `{"id":"${id}","number":${number},"serial":"${serial}","set":"${set}","status":"${status}","reserved_till":${till},` +
    `"seat":{"number":${labelText(ticket.seat_number)},"row":${labelText(ticket.seat_row)},"sector":"${sector}"}}`
  )
}

function labelText(text: string): string {
  return JSON.stringify(seatLabel(text))
}
