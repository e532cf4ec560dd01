import { Type } from 'typebox'
import { DomainError } from '../../kernel/domain-error.ts'
import { isObjectId } from '../../kernel/ids.ts'
import { formatV2Time } from '../../kernel/iso-time.ts'
import { EXPORTS_KEPT_DAYS, getExport, type ExportErrorCode } from '../../orders/export/exports.ts'
import type { Db } from '../../platform/db/db.ts'
import type { AppInstance } from '../app.ts'
import { KEY_REFUSALS, refusal } from '../error-schemas.ts'

const Id = () => Type.String({ pattern: '^[0-9a-f]{24}$', description: 'The export.' })
const Nullable = (schema: Type.TSchema) => Type.Union([schema, Type.Null()])

const schema = {
  tags: ['orders'],
  operationId: 'getExport',
  summary: 'See how far an export is',
  params: Type.Object({ id: Id() }),
  response: {
    200: {
      description: 'How far the export is.',
      content: {
        'application/json': {
          schema: Type.Object({
            data: Type.Object({
              id: Id(),
              status: Type.Enum(['new', 'in_progress', 'done', 'failed'], {
                description: '`done`: the mail was sent.',
              }),
              orders_done: Type.Integer({ description: 'Orders written so far.' }),
              orders_total: Nullable(Type.Integer({ description: 'null until they are counted.' })),
              error: Nullable(Type.String({ description: 'Why it failed.' })),
              created_at: Type.String(),
              finished_at: Nullable(Type.String()),
            }),
          }),
          examples: {
            running: {
              value: {
                data: {
                  id: '6920a1f000000000e100002a',
                  status: 'in_progress',
                  orders_done: 5000,
                  orders_total: 61234,
                  error: null,
                  created_at: '2026-11-20 21:30:00',
                  finished_at: null,
                },
              },
            },
          },
        },
      },
    },
    404: refusal(
      `The export does not exist, was requested more than ${EXPORTS_KEPT_DAYS} days ago, or is another partner's.`,
      { no_export: ['Export not found'] },
    ),
    ...KEY_REFUSALS,
  },
}

/** GET /v2/resources/orders/export/{id} */
export function registerGetExport(app: AppInstance, { db }: { db: Db }): void {
  app.get<{ Params: { id: string } }>(
    '/v2/resources/orders/export/:id',
    { schema, config: { permission: 'orders' } },
    async ({ caller, params: { id } }, reply) => {
      if (!isObjectId(id)) throw new DomainError<ExportErrorCode>('export_not_found')
      const { created_at, finished_at, ...found } = await getExport(db, caller, id)
      return reply.send({
        data: {
          ...found,
          created_at: formatV2Time(created_at),
          finished_at: finished_at === null ? null : formatV2Time(finished_at),
        },
      })
    },
  )
}
