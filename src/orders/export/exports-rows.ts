import { loadStatements } from '../../platform/db/sql-file.ts'
import type { OrderSelection } from '../order-selection.ts'

export type ExportToMakeRow = { email: string; selection: OrderSelection; created_at: number }

export const statements = loadStatements(new URL('./exports-rows.sql', import.meta.url), [
  'lock_partner',
  'count_waiting',
  'insert_export',
  'find_export',
  'begin_export',
  'tell_progress',
  'end_export',
  'forget_exports',
])
