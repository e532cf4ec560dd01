import { randomBytes } from 'node:crypto'
import { chownSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { canEnter, type Account } from './account.ts'
import { PORT } from './settings.ts'

/** sun_path with its closing zero: 108 on Linux, 104 on macOS. */
const LONGEST_SOCKET_BYTES = 103
const NAME = /^parterre-[0-9a-f]{16}$/

/** `file` names the socket folder of the server that runs or last ran on `cluster`. */
export type SocketRecord = { file: string; cluster: string }

/**
 * A new private folder for the socket. Its name is recorded before the folder is made, so that whoever
 * comes after a kill knows what to remove and how the server of this data folder is told from others.
 */
export function makeSocketFolder(record: SocketRecord, account: Account): string {
  const name = `parterre-${randomBytes(8).toString('hex')}`
  const base = [tmpdir(), '/tmp', '/var/tmp'].find((folder) => isUsable(folder, name, account))
  if (base === undefined)
    throw new Error('no folder for temporary files is open and short enough for a socket')
  const folder = join(base, name)
  writeFileSync(record.file, `${identify(record.cluster)} ${folder}\n`)
  mkdirSync(folder, { mode: 0o700 })
  if (account.dropped) chownSync(folder, account.uid, account.gid)
  return folder
}

function isUsable(base: string, name: string, account: Account): boolean {
  const socket = join(base, name, `.s.PGSQL.${PORT}`)
  try {
    // PostgreSQL takes a comma in the setting for the end of one folder.
    return Buffer.byteLength(socket) <= LONGEST_SOCKET_BYTES && !/[,"]/.test(base) && canEnter(base, account)
  } catch {
    return false
  }
}

/** A copy of a data folder brings the record along; the server it names is that of the original. */
function identify(cluster: string): string {
  const stats = statSync(cluster)
  return `${stats.dev}:${stats.ino}`
}

export function readSocketFolder(record: SocketRecord): string | undefined {
  try {
    const [, owner, folder] = /^(\S+) (.+)$/m.exec(readFileSync(record.file, 'utf8')) ?? []
    if (folder === undefined || owner !== identify(record.cluster)) return undefined
    return NAME.test(basename(folder)) ? folder : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * What a server that is gone has left: its lock may name a zombie, which PostgreSQL takes for a live server. Only the known files
 * go: the folder's owner is not root, and could swap it for a link while root deletes.
 */
export function removeSocket(folder: string): void {
  rmSync(join(folder, `.s.PGSQL.${PORT}`), { force: true })
  rmSync(join(folder, `.s.PGSQL.${PORT}.lock`), { force: true })
}

export function emptySocketFolder(record: SocketRecord): void {
  const folder = readSocketFolder(record)
  if (folder === undefined) return
  removeSocket(folder)
  try {
    rmdirSync(folder)
  } catch {
    // Gone already, or holds what is not ours.
  }
}

export function removeSocketFolder(record: SocketRecord): void {
  emptySocketFolder(record)
  rmSync(record.file, { force: true })
}
