import { DatabaseSync } from 'node:sqlite'

const BUSY = 5
/** Of SQLite, with room for the file's name. */
const LONGEST_PATH_BYTES = 500
/** Collected as garbage, a handle would be closed and its lock with it. */
const held = new Set<DatabaseSync>()

/**
 * One service per data folder. The lock is the kernel's (fcntl, which Node reaches through SQLite), so a killed
 * process cannot leave it behind, and it holds between containers that share the folder, where a pid means nothing.
 * Returns the function that releases it; throws when another process, or this one, has it.
 */
export function takeLock(file: string, data_dir: string): () => void {
  if (Buffer.byteLength(file) > LONGEST_PATH_BYTES) {
    throw new Error(`the path of the data folder is too long (over ${LONGEST_PATH_BYTES} bytes): ${data_dir}`)
  }
  const handle = openLock(file)
  try {
    handle.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    handle.close()
    const { errcode, message } = cause as Error & { errcode?: number }
    if (errcode !== BUSY) throw new Error(`cannot lock ${file}: ${message}`, { cause })
    throw new Error(`another Parterre is running on ${data_dir}`, { cause })
  }
  held.add(handle)
  return () => {
    if (held.delete(handle)) handle.close()
  }
}

function openLock(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file, { timeout: 0 })
  } catch (cause) {
    throw new Error(`cannot open ${file}: ${(cause as Error).message}`, { cause })
  }
}
