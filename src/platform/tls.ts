import type { SecureContextOptions } from 'node:tls'

/** A certificate, with those that lead to its authority behind it, and its private key: both PEM. */
export type Tls = { readonly cert: Buffer; readonly key: Buffer }

/** How long a client may take until its connection is encrypted. */
export const HANDSHAKE_LIMIT_MS = 10_000

/** What a server that speaks TLS is set up with. */
export function secureContextOf({ cert, key }: Tls): SecureContextOptions {
  return { cert, key, minVersion: 'TLSv1.2' }
}
