/** The job that writes an export's files and mails them. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isObjectId } from '../../kernel/ids.ts'
import type { Db } from '../../platform/db/db.ts'
import type { Task } from '../../platform/jobs/jobs.ts'
import type { Log } from '../../platform/log.ts'
import { MailError, type Mail, type Mailer } from '../../platform/mail/mailer.ts'
import { statements, type ExportToMakeRow } from './exports-rows.ts'
import { writeExport, type ExportProgress } from './write-export.ts'

/** A sheet of Excel's has room for ten times that, but takes it long to open. */
const XLSX_ROWS_MAX = 100_000

/** Jobs are tried for three days, so that one of the tries comes after this and ends the export. */
const GIVE_UP_AFTER_MS = 24 * 3_600_000
const LEFT_BEHIND_AFTER_MS = 24 * 3_600_000
const PROGRESS_INTERVAL_MS = 1000

export type MakeExportOptions = {
  db: Db
  mailer: Mailer
  log: Log
  /** For the files while they are written. */
  exports_dir: string
  /** With more rows than that there is no XLSX. */
  xlsx_rows_max?: number
}

/**
 * Begins anew after a crash; one between sending and the job's end sends the mail again, under the same Message-ID. A refusal of
 * the mail for good fails the export, and so does a day without success.
 */
export function createMakeExport(options: MakeExportOptions): Task {
  const { db, mailer, log, exports_dir, xlsx_rows_max = XLSX_ROWS_MAX } = options

  async function make(id: string, { email, selection }: ExportToMakeRow, signal: AbortSignal): Promise<void> {
    await sweep(exports_dir, id)
    const folder = join(exports_dir, `${id}.${randomBytes(4).toString('hex')}`)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    try {
      const csv_path = join(folder, 'orders.csv')
      const xlsx_path = join(folder, 'orders.xlsx')
      const progress = reportProgress(id, { db, log })
      const rows = await writeExport(
        { target: db.target, selection, csv_path, xlsx_path, xlsx_rows_max },
        { onProgress: progress.report, signal },
      )
      await progress.finish()
      log.info({ export: id, rows }, 'an export is written')
      const has_xlsx = rows <= xlsx_rows_max
      await mailer.send(
        exportMail({
          id,
          to: email,
          rows,
          csv_path,
          xlsx_path: has_xlsx ? xlsx_path : undefined,
          xlsx_rows_max,
        }),
      )
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  return async (payload, { signal }) => {
    const { export: id } = payload as { export?: unknown }
    assert(isObjectId(id), 'the job names no export')
    const [wanted] = await db.query<ExportToMakeRow>(statements.begin_export, [id])
    if (wanted === undefined) return
    try {
      await make(id, wanted, signal)
    } catch (error) {
      const is_over = Date.now() - wanted.created_at > GIVE_UP_AFTER_MS
      const reason = error instanceof MailError && error.is_permanent ? error.message : undefined
      if (signal.aborted || (reason === undefined && !is_over)) throw error
      await db.execute(statements.end_export, [id, reason ?? 'the export could not be made within a day'])
      return log.error({ export: id, err: error }, 'an export failed')
    }
    await db.execute(statements.end_export, [id, null])
  }
}

/** Keeps the record and the log up to date, about once a second. */
function reportProgress(id: string, { db, log }: Pick<MakeExportOptions, 'db' | 'log'>) {
  let latest: ExportProgress | undefined
  let told_at = 0
  let telling: Promise<unknown> = Promise.resolve()
  const tell = ({ orders_done, orders_total }: ExportProgress) => {
    told_at = performance.now()
    log.info({ export: id, orders_done, orders_total }, 'an export is being written')
    telling = telling
      .then(() => db.execute(statements.tell_progress, [id, orders_done, orders_total]))
      .catch((error: unknown) =>
        log.warn({ export: id, err: error }, 'the progress of an export is not told'),
      )
  }
  return {
    report: (progress: ExportProgress) => {
      latest = progress
      if (performance.now() - told_at >= PROGRESS_INTERVAL_MS) tell(progress)
    },
    finish: async () => {
      if (latest !== undefined) tell(latest)
      await telling
    },
  }
}

/** Removes what a process that died has left: of this export, and whatever is old. */
async function sweep(exports_dir: string, id: string): Promise<void> {
  const names = await readdir(exports_dir).catch(() => [])
  for (const name of names) {
    const path = join(exports_dir, name)
    const changed_at = (await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now()
    if (name.startsWith(`${id}.`) || Date.now() - changed_at > LEFT_BEHIND_AFTER_MS)
      await rm(path, { recursive: true, force: true })
  }
}

type Written = {
  readonly id: string
  readonly to: string
  readonly rows: number
  readonly csv_path: string
  /** undefined: there are too many rows. */
  readonly xlsx_path: string | undefined
  readonly xlsx_rows_max: number
}

function exportMail({ id, to, rows, csv_path, xlsx_path, xlsx_rows_max }: Written): Mail {
  const csv = { filename: 'orders.csv', content_type: 'text/csv; charset=utf-8', content: { path: csv_path } }
  const xlsx = xlsx_path !== undefined && {
    filename: 'orders.xlsx',
    content_type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    content: { path: xlsx_path },
  }
  const text = xlsx
    ? `The orders you asked for are attached as XLSX and CSV: ${rows} rows.\n`
    : `The orders you asked for are attached as CSV: ${rows} rows. An XLSX file is made of up to ${xlsx_rows_max} rows.\n`
  return {
    id: `export-${id}`,
    to,
    subject: 'Your export of orders',
    text: `${text}Times are those of the venue.\n`,
    attachments: xlsx ? [xlsx, csv] : [csv],
  }
}
