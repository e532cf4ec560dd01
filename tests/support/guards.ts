import { afterAll, beforeAll } from 'vitest'
import type { Statement } from '../../src/platform/db/sql-file.ts'

/**
 * Switches guards off during the tests of the file or `describe`: of each named statement the given pieces are cut out. A
 * piece that is not there is an error, so that a control cannot come to test nothing.
 */
export function cutFromStatements(
  statements: Readonly<Record<string, Statement>>,
  cuts: Readonly<Record<string, readonly string[]>>,
): void {
  const writable = statements as Record<string, Statement>
  const originals = { ...statements }
  beforeAll(() => {
    for (const [key, pieces] of Object.entries(cuts)) writable[key] = without(originals[key], pieces)
  })
  afterAll(() => {
    Object.assign(writable, originals)
  })
}

function without(statement: Statement | undefined, pieces: readonly string[]): Statement {
  if (statement === undefined) throw new Error('no such statement')
  let { text } = statement
  for (const piece of pieces) {
    if (!text.includes(piece)) throw new Error(`${statement.name} has no ${JSON.stringify(piece)}`)
    text = text.replace(piece, '')
  }
  return { name: `${statement.name}_unguarded`, text }
}
