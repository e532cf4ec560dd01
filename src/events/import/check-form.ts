/** The first of two looks at a catalog file: whether every value is of the form it must have. */
import type { TLocalizedValidationError } from 'typebox/error'
import { Settings } from 'typebox/system'
import { Errors } from 'typebox/value'
import { Catalog, type CatalogDocument } from './document.ts'
import { childPath, createFaultList, type FaultList } from './import-faults.ts'

const MAX_DEPTH = 32
const MAX_REPORTED = 10_000

/** The document, when its form is right; else throws ImportFaults with all that is wrong (up to 10,000). */
export function checkForm(document: unknown): CatalogDocument {
  const faults = createFaultList()
  checkTexts(document, '$', { faults, depth: 0 })
  for (const error of errorsOf(document)) report(error, document, faults)
  faults.throwIfAny()
  return document as CatalogDocument
}

/** What no database text can hold, wherever it is: also in names and in the free-form parts. */
function checkTexts(
  value: unknown,
  path: string,
  { faults, depth }: { faults: FaultList; depth: number },
): void {
  if (typeof value === 'string') {
    const message = textFault(value)
    if (message) faults.add(path, message)
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (depth === MAX_DEPTH) return faults.add(path, `is nested deeper than ${MAX_DEPTH}`)
  for (const [key, child] of Object.entries(value)) {
    const at = childPath(path, Array.isArray(value) ? Number(key) : key)
    const message = textFault(key)
    if (message) faults.add(at, `its name ${message}`)
    else checkTexts(child, at, { faults, depth: depth + 1 })
  }
}

function textFault(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain NUL'
  return text.isWellFormed() ? undefined : 'must not contain a lone surrogate'
}

function errorsOf(document: unknown): TLocalizedValidationError[] {
  // TypeBox stops at 8 errors by default, and only a global setting changes that.
  const { maxErrors } = Settings.Get()
  Settings.Set({ maxErrors: MAX_REPORTED })
  try {
    return Errors(Catalog, document)
  } finally {
    Settings.Set({ maxErrors })
  }
}

function report(error: TLocalizedValidationError, document: unknown, faults: FaultList): void {
  const path = jsonPath(error.instancePath, document)
  switch (error.keyword) {
    case 'required':
      for (const key of error.params.requiredProperties) faults.add(childPath(path, key), 'is required')
      break
    case 'boolean':
      // Of each property that `additionalProperties` is about to name.
      faults.add(path, 'is no property of this record')
      break
    case 'additionalProperties':
      break
    default:
      faults.add(path, messageOf(error))
  }
}

function messageOf(error: TLocalizedValidationError): string {
  switch (error.keyword) {
    case '~refine':
      return error.params.message
    case 'type':
      return `must be of type ${String(error.params.type)}`
    case 'enum':
      return `must be one of ${error.params.allowedValues.join(', ')}`
    case 'minLength':
      return 'must not be empty'
    case 'minimum':
      return `must not be less than ${error.params.limit}`
    case 'maximum':
      return `must not be more than ${error.params.limit}`
    default:
      return error.message
  }
}

/** The JSON path of a JSON pointer; whether a step is an index only the document tells. */
function jsonPath(pointer: string, document: unknown): string {
  let path = '$'
  let value: unknown = document
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    path = childPath(path, Array.isArray(value) ? Number(key) : key)
    value = Object.getOwnPropertyDescriptor(Object(value), key)?.value
  }
  return path
}
