import { DomainError } from '../kernel/domain-error.ts'
import type { OrderErrorCode } from './commands.ts'

/** An error of an operation on an order; `details` fill the text that the transports have for the code. */
export function orderError(
  code: Exclude<OrderErrorCode, 'invalid_fields'>,
  details?: DomainError['details'],
): DomainError<OrderErrorCode> {
  return new DomainError<OrderErrorCode>(code, details)
}

/** The fields of a request are wrong; `faults` has at least one text, each in the contract's words and naming its field. */
export class InvalidFields extends DomainError<'invalid_fields'> {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super('invalid_fields')
    this.faults = faults
  }
}
