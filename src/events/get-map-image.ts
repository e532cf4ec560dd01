import { DomainError } from '../kernel/domain-error.ts'
import { isObjectId } from '../kernel/ids.ts'
import type { Queryable } from '../platform/db/db.ts'
import type { EventErrorCode } from './event-errors.ts'
import { statements } from './get-map-image-rows.ts'

/** The SVG text of one of a map's images; throws DomainError `map_image_not_found`. */
export async function getMapImage(db: Queryable, map: string, image: string): Promise<string> {
  // PostgreSQL stores no NUL, so no image has one in its name.
  const nameable = isObjectId(map) && !image.includes('\0')
  const [row] = nameable ? await db.query<{ svg: string }>(statements.map_image, [map, image]) : []
  if (row === undefined) throw new DomainError<EventErrorCode>('map_image_not_found')
  return row.svg
}
