import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file of tests/support/tls. */
export function tlsFile(name: string): string {
  return fileURLToPath(new URL(`tls/${name}`, import.meta.url))
}

/** The settings of a service whose certificate is in the folder, and what puts the pair of this name there. */
export function ownTls(folder: string) {
  const settings = { TLS_CERT: join(folder, 'own.pem'), TLS_KEY: join(folder, 'own-key.pem') }
  return {
    settings,
    install(name: string): void {
      copyFileSync(tlsFile(`${name}.pem`), settings.TLS_CERT)
      copyFileSync(tlsFile(`${name}-key.pem`), settings.TLS_KEY)
    },
  }
}
