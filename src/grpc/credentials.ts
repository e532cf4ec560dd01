import { experimental } from '@grpc/grpc-js'
import type { ServerCredentials } from '@grpc/grpc-js'
import type { Tls } from '../platform/tls.ts'

/** Credentials of a server whose certificate can be replaced while it listens: connections made from then on get the new one. */
export function createRenewableCredentials(tls: Tls): {
  credentials: ServerCredentials
  renew(tls: Tls): void
} {
  const listeners = new Set<experimental.IdentityCertificateUpdateListener>()
  let update = updateOf(tls)
  const provider: experimental.CertificateProvider = {
    addIdentityCertificateListener(listener) {
      listeners.add(listener)
      // The server hears of an update only once it has been added as a watcher, later in the same turn.
      process.nextTick(() => listener(update))
    },
    removeIdentityCertificateListener: (listener) => void listeners.delete(listener),
    addCaCertificateListener: () => {},
    removeCaCertificateListener: () => {},
  }
  return {
    // The library swaps the names of the first two parameters: the first is the provider of the certificate.
    credentials: experimental.createCertificateProviderServerCredentials(provider, null, false),
    renew(next) {
      update = updateOf(next)
      for (const listener of listeners) listener(update)
    },
  }
}

function updateOf({ cert, key }: Tls): experimental.IdentityCertificateUpdate {
  return { certificate: cert, privateKey: key }
}
