/** A certificate, with those that lead to its authority behind it, and its private key: both PEM. */
export type Tls = { readonly cert: Buffer; readonly key: Buffer }
