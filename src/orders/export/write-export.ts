import { Worker } from 'node:worker_threads'
import type { DbTarget } from '../../platform/db/db.ts'
import type { OrderSelection } from '../order-selection.ts'

export type ExportRequest = {
  readonly target: DbTarget
  readonly selection: OrderSelection
  /** Files that do not exist yet. */
  readonly csv_path: string
  readonly xlsx_path: string
  /** With more rows than that, the workbook is cut short and of no use. */
  readonly xlsx_rows_max: number
}

export type ExportProgress = { readonly orders_done: number; readonly orders_total: number }

export type ExportAnswer = ExportProgress | { readonly rows: number }

/**
 * Writes the two files beside the thread that sells, in a thread that ends with them and gives its memory back; answers how many
 * rows they have. Throws what went wrong, and when `signal` aborts.
 */
export async function writeExport(
  request: ExportRequest,
  { onProgress, signal }: { onProgress: (progress: ExportProgress) => void; signal: AbortSignal },
): Promise<number> {
  signal.throwIfAborted()
  const worker = new Worker(new URL('./export-thread.ts', import.meta.url), {
    name: 'export',
    workerData: request,
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 },
  })
  const ended = Promise.withResolvers<number>()
  const onAbort = () => ended.reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  worker.on('message', (answer: ExportAnswer) => {
    if ('rows' in answer) ended.resolve(answer.rows)
    else onProgress(answer)
  })
  worker.on('error', ended.reject)
  worker.on('exit', () => ended.reject(new Error('the thread that writes an export has ended')))
  try {
    return await ended.promise
  } finally {
    signal.removeEventListener('abort', onAbort)
    await worker.terminate()
  }
}
