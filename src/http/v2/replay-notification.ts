import { Type } from 'typebox'
import { DomainError } from '../../kernel/domain-error.ts'
import { isObjectId } from '../../kernel/ids.ts'
import type { WebhookErrorCode } from '../../partners/partner-errors.ts'
import { replayNotification } from '../../partners/webhooks.ts'
import type { Db } from '../../platform/db/db.ts'
import type { AppInstance } from '../app.ts'
import { KEY_REFUSALS, refusal } from '../error-schemas.ts'
import { sendJson } from '../send-json.ts'
import { keepWith } from './once-for.ts'

const Id = (description: string) => Type.String({ pattern: '^[0-9a-f]{24}$', description })

const schema = {
  tags: ['webhooks'],
  operationId: 'replayNotification',
  summary: 'Send a notification again',
  description:
    'It is sent to every enabled webhook that it was written for, whether it was delivered or not, under its old ' +
    '`webhook-id`, and retried as a new one is. Takes no body.',
  params: Type.Object({ notification: Id('The notification.') }),
  response: {
    202: {
      description: 'It is to be sent.',
      content: {
        'application/json': {
          schema: Type.Object({
            data: Type.Object({
              notification: Id('The notification.'),
              webhooks: Type.Array(Id('A webhook.'), { description: 'Where it is sent to.' }),
            }),
          }),
          examples: {
            replayed: {
              value: {
                data: {
                  notification: '6920a1f00000c3a5e100002a',
                  webhooks: ['6920a1f00000c3a5e1000029'],
                },
              },
            },
          },
        },
      },
    },
    400: refusal('There is nobody to send it to.', {
      disabled: ['every webhook of this notification is disabled'],
    }),
    404: refusal("The notification does not exist, is older than 30 days or another partner's.", {
      no_notification: ['Notification not found'],
    }),
    ...KEY_REFUSALS,
  },
}

/** POST /v2/resources/webhooks/deliveries/{notification}/replay */
export function registerReplayNotification(app: AppInstance, { db }: { db: Db }): void {
  app.post<{ Params: { notification: string } }>(
    '/v2/resources/webhooks/deliveries/:notification/replay',
    { schema, config: { permission: 'admin' } },
    async (request, reply) => {
      const { notification } = request.params
      if (!isObjectId(notification)) throw new DomainError<WebhookErrorCode>('notification_not_found')
      const body = await db.transaction(async (tx) => {
        const webhooks = await replayNotification(tx, request.caller.partner.id, notification)
        const answer = { status: 202, body: JSON.stringify({ data: { notification, webhooks } }) }
        await keepWith(request, () => answer)(tx, undefined)
        return answer.body
      })
      return sendJson(reply.code(202), body)
    },
  )
}
