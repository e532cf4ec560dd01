/**
 * The address of one mailbox as it is taken from clients: the dot-atom form of RFC 5321 and nothing around it. No name, no
 * quotes, no list, no blanks and no control characters, so it can stand in a header and an envelope as it is. The local part
 * is ASCII: many servers cannot deliver to others (SMTPUTF8). The domain has a dot and may be written in any script.
 */
import { domainToASCII } from 'node:url'

/** Octets of an address, and of the part before the `@` (RFC 5321, 4.5.3.1). */
const LONGEST = 254
const LONGEST_LOCAL = 64

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const LOCAL = new RegExp(String.raw`^${ATOM}(?:\.${ATOM})*$`)
const WRITTEN_DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const DOMAIN = new RegExp(String.raw`^(?:${LABEL}\.)+(?!\d+$)${LABEL}$`)

export function isMailAddress(text: unknown): text is string {
  if (typeof text !== 'string' || text.length > LONGEST) return false
  const at = text.lastIndexOf('@')
  const [local, written] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)]
  if (local.length > LONGEST_LOCAL || !LOCAL.test(local) || !WRITTEN_DOMAIN.test(written)) return false
  const domain = domainToASCII(written)
  return local.length + 1 + domain.length <= LONGEST && DOMAIN.test(domain)
}
