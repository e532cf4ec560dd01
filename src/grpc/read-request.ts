/** Checks of what the fields of a request say. All throw DomainError<GrpcErrorCode> `invalid_argument`. */
import { DomainError } from '../kernel/domain-error.ts'
import { isObjectId } from '../kernel/ids.ts'
import type { GrpcErrorCode } from './errors.ts'

const LIST_MAX = 10_000

/** The list of a repeated field, or undefined when it filters nothing. */
export function readList<Value>(field: string, values: readonly Value[]): readonly Value[] | undefined {
  if (values.length > LIST_MAX) throw invalid(field, `must not have more than ${LIST_MAX} values`)
  if (values.some((value) => typeof value === 'string' && value.includes('\0')))
    throw invalid(field, 'must not contain NUL')
  return values.length === 0 ? undefined : values
}

export function readObjectIds(field: string, values: readonly string[]): readonly string[] | undefined {
  if (!values.every(isObjectId)) throw invalid(field, 'must be ids of 24 lower-case hex digits')
  return readList(field, values)
}

/** The text of a field, or undefined when it is empty. PostgreSQL stores no NUL, so none can be asked for. */
export function readText(field: string, text: string): string | undefined {
  return readList(field, text === '' ? [] : [text])?.[0]
}

export function readObjectId(field: string, text: string): string | undefined {
  const id = readText(field, text)
  if (id !== undefined && !isObjectId(id)) throw invalid(field, 'must be an id of 24 lower-case hex digits')
  return id
}

/** The choice that an enum's number stands for; proto3 lets any number through. */
export function readEnum<Choice>(
  field: string,
  number: number,
  choices: Readonly<Record<number, Choice>>,
): Choice {
  if (!Object.hasOwn(choices, number)) throw invalid(field, `must not be ${number}`)
  return choices[number] as Choice
}

export function invalid(field: string, message: string): DomainError<GrpcErrorCode> {
  return new DomainError('invalid_argument', { field, message })
}
