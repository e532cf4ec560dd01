import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { DomainError } from '../kernel/domain-error.ts'
import type { AppInstance } from './app.ts'
import type { HttpErrorCode } from './errors.ts'

/** Containers within containers; deeper ones break what works by recursion, such as JSON.stringify. */
const DEPTH_MAX = 32

/** Characters of a place that an error names. */
const PLACE_MAX = 200

const MEDIA_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?\s*$/i

/** Makes JSON objects the only bodies that the application takes. */
export function acceptJson(app: AppInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    checkHeaders(request)
    done(null, readJson(body))
  })
}

function checkHeaders({ headers }: FastifyRequest): void {
  if (!MEDIA_TYPE.test(headers['content-type'] ?? '')) throw refused('media_type_unsupported')
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') throw refused('content_encoding_unsupported')
}

/**
 * The JSON object that a body holds. Throws DomainError<HttpErrorCode> on what is not one, or has what no field may hold:
 * the key `__proto__`, NUL (PostgreSQL stores none), a lone surrogate (no UTF-8 says it), more than 32 levels.
 */
export function readJson(body: Buffer): object {
  if (body.length === 0) throw refused('body_empty')
  if (!isUtf8(body)) throw refused('body_not_utf8')
  const text = body.toString()
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refused('body_not_object')
  // Valid UTF-8 and valid JSON can write NUL and lone surrogates only as \u escapes.
  inspect(value, { escaped: text.includes('\\u'), path: [] })
  return value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw refused('body_malformed', { reason: error instanceof Error ? error.message : '' })
  }
}

type Inspection = { readonly escaped: boolean; readonly path: (string | number)[] }

function inspect(value: unknown, at: Inspection): void {
  if (typeof value === 'string') {
    if (at.escaped) inspectText(value, at.path)
  } else if (typeof value === 'object' && value !== null) {
    if (at.path.length >= DEPTH_MAX) throw refused('body_too_deep', { max: DEPTH_MAX })
    if (Array.isArray(value)) inspectList(value, at)
    else inspectObject(value, at)
  }
}

function inspectList(list: unknown[], at: Inspection): void {
  for (let index = 0; index < list.length; index++) {
    at.path.push(index)
    inspect(list[index], at)
    at.path.pop()
  }
}

function inspectObject(object: object, at: Inspection): void {
  for (const [key, value] of Object.entries(object)) {
    if (key === '__proto__') throw refused('body_key_forbidden', { place: nameOf(at.path) })
    if (at.escaped) inspectText(key, at.path, 'a key of ')
    at.path.push(key)
    inspect(value, at)
    at.path.pop()
  }
}

function inspectText(text: string, path: Inspection['path'], prefix = ''): void {
  const what = text.includes('\0') ? 'NUL' : text.isWellFormed() ? undefined : 'a lone surrogate'
  if (what !== undefined) throw refused('body_text_forbidden', { place: prefix + nameOf(path), what })
}

/** `tickets[0]`, `settings.customer.name`; the body itself for the top. Its keys are the client's, so it is cut short. */
function nameOf(path: Inspection['path']): string {
  if (path.length === 0) return 'the body'
  const name = path.map((step, index) =>
    typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`,
  )
  return name.join('').slice(0, PLACE_MAX)
}

function refused(code: HttpErrorCode, details?: DomainError['details']): DomainError<HttpErrorCode> {
  return new DomainError(code, details)
}
