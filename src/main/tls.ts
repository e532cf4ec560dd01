/** The certificate that the ports of the API show, from the files of TLS_CERT and TLS_KEY. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { Log } from '../platform/log.ts'
import type { Tls } from '../platform/tls.ts'
import type { Config } from './config.ts'
import { UserError } from './user-error.ts'

type Files = Pick<Config, 'tls_cert' | 'tls_key'>

/**
 * Reads the files; undefined when none are set. Throws UserError, with setting and file, when one cannot be read or used or
 * the two do not belong together. A certificate that is not valid today is a warning: it may be all there is.
 */
export function readTls({ tls_cert, tls_key }: Files, log: Log): Tls | undefined {
  if (tls_cert === undefined || tls_key === undefined) return undefined
  const of_cert = `TLS_CERT (${tls_cert})`
  const of_key = `TLS_KEY (${tls_key})`
  const tls = { cert: read(tls_cert, of_cert), key: read(tls_key, of_key) }
  const certificate = attempt(() => new X509Certificate(tls.cert), `${of_cert} is no certificate in PEM`)
  const key = attempt(
    () => createPrivateKey(tls.key),
    `${of_key} is no private key in PEM without a passphrase`,
  )
  if (!certificate.checkPrivateKey(key)) {
    throw new UserError(`${of_key} is not the key of the first certificate of ${of_cert}`)
  }
  // The rest of the chain, and what OpenSSL finds too weak.
  attempt(() => createSecureContext(tls), `${of_cert} and ${of_key} cannot be used`)
  const { validFromDate: from, validToDate: until } = certificate
  const now = Date.now()
  if (now < from.getTime() || now > until.getTime()) {
    log.warn({ file: tls_cert, from, until }, 'the certificate of TLS_CERT is not valid today')
  }
  return tls
}

/**
 * Reads the files again on each SIGHUP, which otherwise would end the process, and gives them to `use`. What is wrong with
 * them is an error in the log, and the certificate in use stays.
 */
export function renewTlsOnHangup(files: Files, log: Log, use: (tls: Tls) => void): void {
  process.on('SIGHUP', () => {
    try {
      const tls = readTls(files, log)
      if (tls) use(tls)
      log.info('the certificate was read again')
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      log.error({ reason: error.message }, 'the certificate was not renewed')
    }
  })
}

function read(file: string, name: string): Buffer {
  return attempt(() => readFileSync(file), `${name} cannot be read`)
}

/** What `work` answers; UserError when it throws. */
function attempt<T>(work: () => T, message: string): T {
  try {
    return work()
  } catch (cause) {
    throw new UserError(`${message}: ${(cause as Error).message}`, { cause })
  }
}
