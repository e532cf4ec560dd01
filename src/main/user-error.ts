/** What whoever runs a command did wrong or can mend; `message` is shown as it is, without a stack. */
export class UserError extends Error {
  /** 2: the command line itself is wrong; 1: everything else. */
  readonly exit_code: 1 | 2

  constructor(message: string, options: { exit_code?: 1 | 2; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : {})
    this.name = 'UserError'
    this.exit_code = options.exit_code ?? 1
  }
}
