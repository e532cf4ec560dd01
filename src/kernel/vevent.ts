/**
 * A period as the iCalendar VEVENT block of the v1 payloads, in UTC, lines ended by CRLF (contract, Type conventions;
 * RFC 5545, 3.6.1).
 */

/** `start` and `finish` are epoch milliseconds. */
export function formatVevent(start: number, finish: number): string {
  return [
    'BEGIN:VEVENT',
    `DTSTART;VALUE=DATE-TIME:${basicTime(start)}`,
    `DTEND;VALUE=DATE-TIME:${basicTime(finish)}`,
    'END:VEVENT',
    '',
  ].join('\r\n')
}

function basicTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
}
