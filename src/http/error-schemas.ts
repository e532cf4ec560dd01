/** How the OpenAPI document describes refusals; every body is `{"errors": [text, ...]}` (contract, Errors). */
import { Type } from 'typebox'

export const ERRORS = Type.Object(
  { errors: Type.Array(Type.String(), { minItems: 1 }) },
  { $id: 'Errors', description: 'Why the request was refused, a text for each fault.' },
)

/** What every route for keys can answer. */
export const KEY_REFUSALS = {
  401: refusal('No key.', { no_key: ['the header Authorization: key <API_KEY> is needed'] }),
  403: refusal('The key is bad, or lacks the permission.', {
    bad_key: ['bad key'],
    not_permitted: ['the key lacks the permission orders'],
  }),
  429: refusal('Too many requests with this key; `Retry-After` says when to try again.', {
    too_many: ['more than 50 requests in a second'],
  }),
  503: refusal('The store is away; `Retry-After` says when to try again.', {
    store_away: ['the store is away, try again'],
  }),
}

/** What every route that takes a body can answer. */
export const BODY_REFUSALS = {
  413: refusal('The body is too large.', { too_large: ['the body is larger than 1 MiB'] }),
  415: refusal('The body is not JSON.', { media_type: ['Content-Type must be application/json in UTF-8'] }),
}

/** The description of a status; `examples` maps a name to the texts of an answer. */
export function refusal(description: string, examples: Readonly<Record<string, readonly string[]>>) {
  return {
    description,
    content: {
      'application/json': {
        schema: { $ref: 'Errors#' },
        examples: Object.fromEntries(
          Object.entries(examples).map(([name, errors]) => [name, { value: { errors } }]),
        ),
      },
    },
  }
}
