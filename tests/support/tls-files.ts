import { once } from 'node:events'
import { copyFileSync } from 'node:fs'
import { connect } from 'node:net'
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

/** Opens two connections to a server that speaks TLS: over one nothing is ever sent, over the other only the first bytes. */
export async function stallHandshakes(port: number, host: string): Promise<void> {
  // The header of a record of 512 bytes with a ClientHello.
  for (const bytes of [[], [0x16, 0x03, 0x01, 0x02, 0x00]]) {
    const client = connect(port, host).on('error', () => {})
    await once(client, 'connect')
    client.write(Buffer.from(bytes))
  }
}
