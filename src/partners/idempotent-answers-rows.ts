import { loadStatements } from '../platform/db/sql-file.ts'

export const statements = loadStatements(new URL('./idempotent-answers-rows.sql', import.meta.url), [
  'find_answer',
  'drop_outdated_answers',
  'keep_answers',
  'keep_answer_alone',
  'forget_answers',
])

export type AnswerRow = { hash: Buffer; status: number; body: string; location: string | null }
