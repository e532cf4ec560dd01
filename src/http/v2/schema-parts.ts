/** Pieces of the shapes of version 2 in the OpenAPI document (contract, Type conventions). */
import { Type, type TObject } from 'typebox'

export const ObjectId = (description: string) => Type.String({ pattern: '^[0-9a-f]{24}$', description })

export const Time = (description: string) =>
  Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$', description: `${description} UTC.` })

export const Money = (description: string) => Type.String({ pattern: '^\\d+\\.\\d{2}$', description })

/** A map from the ids of records to the records. */
export const ById = (record: TObject, description?: string) =>
  Type.Record(
    Type.String({ pattern: '^[0-9a-f]{24}$' }),
    record,
    description === undefined ? {} : { description },
  )
