/**
 * An error the caller of an operation can cause. Each module closes its own union of codes; the transports map every
 * code to a status and a text. Anything else that is thrown is a bug or a broken store.
 */
export class DomainError<Code extends string = string> extends Error {
  readonly code: Code
  readonly details: Readonly<Record<string, string | number>>

  constructor(code: Code, details: Readonly<Record<string, string | number>> = {}) {
    super(code)
    this.name = 'DomainError'
    this.code = code
    this.details = details
  }
}
