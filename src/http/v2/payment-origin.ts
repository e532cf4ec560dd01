import { DomainError } from '../../kernel/domain-error.ts'
import type { Caller } from '../../partners/caller.ts'
import type { HttpErrorCode } from '../errors.ts'

/** A seller that uses the API is paid by its buyers itself; throws for its keys. */
export function requirePaymentOrigin({ origin }: Caller): void {
  if (origin === 'api') throw new DomainError<HttpErrorCode>('payments_not_for_api')
}
