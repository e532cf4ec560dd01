const INTEGER = /^(?:0|[1-9]\d{0,14})$/

/** A row's or a seat's label as v1 has it: an integer when it is written like one (not `007`), else the text. */
export function seatLabel(label: string): number | string {
  return INTEGER.test(label) ? Number(label) : label
}
