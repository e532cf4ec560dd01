/** What values must look like: small checkers that combine to the tables of the API document. */

/** Answers what is wrong with a value, one text a fault, each beginning with its place in the body. */
export type Shape<T> = { (value: unknown, place: string): string[]; readonly type?: T }

/** The type of the values that have a shape. */
export type Shaped<S> = S extends Shape<infer T> ? T : never

const LONGEST_SHOWN = 60

function fault(place: string, wanted: string, value: unknown): string {
  const text = value === undefined ? 'is missing' : `is ${JSON.stringify(value)}`
  return `${place} must be ${wanted}, ${text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text}`
}

function shape<T>(wanted: string, accepts: (value: unknown) => boolean): Shape<T> {
  return (value, place) => (accepts(value) ? [] : [fault(place, wanted, value)])
}

export const text = shape<string>('a string', (value) => typeof value === 'string')
export const int = shape<number>('an integer', Number.isSafeInteger)
export const number = shape<number>('a number', Number.isFinite)
export const bool = shape<boolean>('a boolean', (value) => typeof value === 'boolean')
export const object = shape<object>('an object', isObject)

export function like(wanted: string, pattern: RegExp): Shape<string> {
  return shape(wanted, (value) => typeof value === 'string' && pattern.test(value))
}

export function oneOf<T extends string>(...values: readonly T[]): Shape<T> {
  return shape(`one of ${values.join(', ')}`, (value) => values.some((allowed) => allowed === value))
}

export function either<A, B>(one: Shape<A>, other: Shape<B>): Shape<A | B> {
  return (value, place) => {
    const faults = one(value, place)
    return faults.length > 0 && other(value, place).length === 0 ? [] : faults
  }
}

export const nothing = shape<null>('null', (value) => value === null)

export function orNull<T>(inner: Shape<T>): Shape<T | null> {
  return either(inner, nothing)
}

/** A field that may be left out. */
export function optional<T>(inner: Shape<T>): Shape<T | undefined> {
  return (value, place) => (value === undefined ? [] : inner(value, place))
}

export function list<T>(item: Shape<T>): Shape<T[]> {
  return (value, place) =>
    Array.isArray(value)
      ? value.flatMap((entry, index) => item(entry, `${place}[${index}]`))
      : [fault(place, 'a list', value)]
}

/** At least these fields; a newer service may send more. */
export function record<F extends Record<string, Shape<unknown>>>(
  fields: F,
): Shape<{ [Name in keyof F]: Shaped<F[Name]> }> {
  return (value, place) => {
    if (!isObject(value)) return [fault(place, 'an object', value)]
    return Object.entries(fields).flatMap(([name, field]) => field(value[name], `${place}.${name}`))
  }
}

/** A map of records, each keyed by its own id. */
export function byId<T extends { id: string }>(entry: Shape<T>): Shape<Record<string, T>> {
  return (value, place) => {
    if (!isObject(value)) return [fault(place, 'an object', value)]
    return Object.entries(value).flatMap(([key, found]) => {
      const faults = entry(found, `${place}.${key}`)
      if (faults.length > 0) return faults
      const { id } = found as T
      return id === key ? [] : [fault(`${place}.${key}.id`, 'its key', id)]
    })
  }
}

/** A map from any name to values of one shape. */
export function mapOf<T>(inner: Shape<T>): Shape<Record<string, T>> {
  return (value, place) =>
    isObject(value)
      ? Object.entries(value).flatMap(([key, entry]) => inner(entry, `${place}.${key}`))
      : [fault(place, 'an object', value)]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
