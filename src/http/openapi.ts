import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { AppInstance } from './app.ts'
import { ERRORS } from './error-schemas.ts'
import { sendJson } from './send-json.ts'
import { ORDER_ANSWER } from './v2/order-schemas.ts'
import { PAYMENT_ANSWER } from './v2/payment-schemas.ts'
import { REFUND_ANSWER, REFUND_LIST } from './v2/refund-schemas.ts'

const DESCRIPTION = `The REST interface of Parterre, an open ticket sales platform: orders (v2) and the legacy listings of events
and seats (v1).

Every request carries \`Authorization: key <API_KEY>\`. Bodies are JSON in UTF-8, up to 1 MiB. Money is a decimal string of two
digits, times are UTC. A refused request is answered \`{"errors": [text, ...]}\`.`

/** The page loads what is served with it, over HTTP as over HTTPS, and calls this API. */
const PAGE_POLICY =
  "default-src 'self'; base-uri 'self'; frame-ancestors 'self'; img-src 'self' data:; object-src 'none'"

/**
 * Describes the routes registered from here on: the OpenAPI 3.1 document at `/openapi.json`, a page of it at `/docs`. `public_url`
 * is the base address that sellers use.
 */
export async function describeApi(
  app: AppInstance,
  about: { version: string; public_url: string },
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Parterre',
        version: about.version,
        description: DESCRIPTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: about.public_url }],
      tags: [
        { name: 'orders', description: 'Reserve, complete and cancel.' },
        {
          name: 'payments',
          description: 'Outside payments for orders of the widget, the salespoint and the control panel.',
        },
        { name: 'refunds', description: 'Give back tickets of done orders.' },
        { name: 'listings', description: 'Events and seats on sale.' },
        { name: 'webhooks', description: 'What became of notifications.' },
      ],
      components: {
        securitySchemes: {
          key: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description: 'The word `key`, a space, then the API key.',
          },
        },
      },
      security: [{ key: [] }],
    },
    refResolver: { buildLocalReference: ({ $id }) => (typeof $id === 'string' ? $id : 'unnamed') },
  })
  app.addSchema(ERRORS)
  app.addSchema(ORDER_ANSWER)
  app.addSchema(PAYMENT_ANSWER)
  app.addSchema(REFUND_ANSWER)
  app.addSchema(REFUND_LIST)
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: PAGE_POLICY,
    uiConfig: { url: '/openapi.json', deepLinking: true },
  })
  let text: string | undefined
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
    text ??= openApiText(app)
    return sendJson(reply, text)
  })
}

/** The OpenAPI document of an application that is ready, as JSON text. */
export function openApiText(app: AppInstance): string {
  return `${JSON.stringify(app.swagger(), null, 2)}\n`
}
