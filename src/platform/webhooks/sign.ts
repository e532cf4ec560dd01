/** Signatures of webhooks as Standard Webhooks 1.0 has them: HMAC-SHA256 by a secret that sender and receiver share. */
import { createHmac } from 'node:crypto'

export type Signed = {
  /** The same for every attempt, so that a receiver knows a message that comes again. */
  id: string
  /** Of the attempt, epoch milliseconds. Receivers refuse old ones. */
  at: number
  body: string
}

/** The headers that tell the message and prove who sent it. */
export function signatureHeaders({ id, at, body }: Signed, secret: Buffer): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000))
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

/** A secret in the form in which receivers are given it. */
export function secretText(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`
}
