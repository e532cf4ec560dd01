import type { Queryable } from '../platform/db/db.ts'

/** Whether the database answers. */
export async function answers(db: Queryable): Promise<boolean> {
  try {
    await db.query({ name: 'main_ping', text: 'SELECT' })
    return true
  } catch {
    return false
  }
}
