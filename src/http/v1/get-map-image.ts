import { Type } from 'typebox'
import { getMapImage } from '../../events/get-map-image.ts'
import type { Queryable } from '../../platform/db/db.ts'
import type { AppInstance } from '../app.ts'
import { refusal } from '../error-schemas.ts'
import { ObjectId } from './event-schemas.ts'

const schema = {
  tags: ['listings'],
  operationId: 'getMapImage',
  summary: 'A vector image of a hall scheme',
  description:
    'What the links in `map` of an event lead to. It needs no key, because the images of a page send none.',
  security: [],
  params: Type.Object({
    id: ObjectId('The hall scheme.'),
    image: Type.String({ description: 'The name of the image.' }),
  }),
  response: {
    200: { description: 'The image.', content: { 'image/svg+xml': { schema: Type.String() } } },
    404: refusal('There is no such image.', { no_image: ['Map image not found'] }),
  },
}

/** An SVG is a document that may hold scripts: it may run none, load nothing, and belongs to no origin. */
const HEADERS = {
  'content-type': 'image/svg+xml; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'cache-control': 'public, max-age=300',
}

/** GET /v1/resources/maps/{id}/{image}.svg */
export function registerGetMapImage(app: AppInstance, { db }: { db: Queryable }): void {
  app.get<{ Params: { id: string; image: string } }>(
    '/v1/resources/maps/:id/:image.svg',
    { schema },
    async (request, reply) => {
      const { id, image } = request.params
      return reply.headers(HEADERS).send(await getMapImage(db, id, image))
    },
  )
}
