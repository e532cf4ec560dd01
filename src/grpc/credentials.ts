import { ServerCredentials } from '@grpc/grpc-js'
import { HANDSHAKE_LIMIT_MS, secureContextOf } from '../platform/tls.ts'
import type { Tls } from '../platform/tls.ts'

/** Credentials of a server whose certificate can be replaced while it listens: connections made from then on get the new one. */
export class RenewableCredentials extends ServerCredentials {
  constructor(tls: Tls) {
    super({ handshakeTimeout: HANDSHAKE_LIMIT_MS }, secureContextOf(tls))
  }

  renew(tls: Tls): void {
    this.updateSecureContextOptions(secureContextOf(tls))
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other
  }
}
