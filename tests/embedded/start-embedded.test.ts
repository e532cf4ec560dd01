import { spawn } from 'node:child_process'
import {
  chownSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { findEmbedded } from '../../src/platform/embedded/start-embedded.ts'
import {
  cleanUp,
  end,
  isRunning,
  makeFolder,
  postmasterPid,
  query,
  spawnService,
  start,
  startService,
  until,
} from './support/folders.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
afterEach(cleanUp)

const ONE_ROW = 'CREATE TABLE kept (id int); INSERT INTO kept VALUES (7)'
const KEPT = 'SELECT id FROM kept'
const PATIENT = { timeout: 30_000 }

describe('start and stop', () => {
  test('a first and a warm start', async () => {
    const data_dir = join(makeFolder(), 'data')
    const first_at = performance.now()
    const first = await start(data_dir)
    const first_ms = performance.now() - first_at
    expect(first.started).toBe('created')
    expect(await query(first.connection, 'SHOW server_version_num')).toEqual([
      { server_version_num: expect.stringMatching(/^18/) as string },
    ])
    expect(await query(first.url, 'SELECT current_database() AS name')).toEqual([{ name: 'parterre' }])
    expect(
      await query(
        first.connection,
        `SELECT current_setting('fsync') AS fsync, datlocprovider, datlocale, pg_encoding_to_char(encoding) AS encoding
           FROM pg_database WHERE datname = current_database()`,
      ),
    ).toEqual([{ fsync: 'on', datlocprovider: 'b', datlocale: 'C.UTF-8', encoding: 'UTF8' }])
    await query(first.connection, ONE_ROW)
    const pid = postmasterPid(data_dir)
    await Promise.all([first.stop(), first.stop()])
    expect(isRunning(pid)).toBe(false)
    expect(existsSync(first.connection.host)).toBe(false)

    const warm_at = performance.now()
    const warm = await start(data_dir)
    const warm_ms = performance.now() - warm_at
    expect(warm.started).toBe('started')
    expect(await query(warm.connection, KEPT)).toEqual([{ id: 7 }])
    console.log(`first start ${first_ms.toFixed(0)} ms, warm start ${warm_ms.toFixed(0)} ms`)
  })

  test('the socket folder is private and there is no TCP', async () => {
    const server = await start(join(makeFolder(), 'data'))
    expect(statSync(server.connection.host).mode & 0o777).toBe(0o700)
    expect(await query(server.connection, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '' }])
  })

  test('findEmbedded finds the running server only', async () => {
    const data_dir = join(makeFolder(), 'data')
    expect(await findEmbedded({ data_dir })).toBeUndefined()
    const server = await start(data_dir)
    const found = await findEmbedded({ data_dir })
    expect(found).toEqual({ connection: server.connection, url: server.url })
    await server.stop()
    expect(await findEmbedded({ data_dir })).toBeUndefined()
  })

  test('a server that cannot start says why at once', async () => {
    const data_dir = join(makeFolder(), 'data')
    await expect(start(data_dir, { settings: { work_mem: 'much' } })).rejects.toThrow(
      /did not start[^]*invalid value for parameter "work_mem": "much"/,
    )
    // The lock was released, the cluster is whole.
    expect((await start(data_dir)).started).toBe('started')
  })

  test('fsync is off only when asked', async () => {
    const server = await start(join(makeFolder(), 'data'), { durable: false })
    expect(await query(server.connection, 'SHOW fsync')).toEqual([{ fsync: 'off' }])
  })

  test('a cluster of another release is refused', async () => {
    const data_dir = join(makeFolder(), 'data')
    await (await start(data_dir)).stop()
    writeFileSync(join(data_dir, 'postgres', 'PG_VERSION'), '17\n')
    await expect(start(data_dir)).rejects.toThrow(/is of PostgreSQL 17, this release brings 18/)
  })

  test('a folder that is no cluster is left alone', async () => {
    const data_dir = makeFolder()
    cpSync(import.meta.dirname, join(data_dir, 'postgres'), { recursive: true })
    await expect(start(data_dir)).rejects.toThrow(/is in the way/)
    expect(existsSync(join(data_dir, 'postgres', 'support'))).toBe(true)
  })

  test.skipIf(process.getuid?.() !== 0)(
    'a cluster restored by root is given back to the account',
    async () => {
      const data_dir = join(makeFolder(), 'data')
      await (await start(data_dir)).stop()
      const cluster = join(data_dir, 'postgres')
      for (const name of ['', ...readdirSync(cluster, { recursive: true, encoding: 'utf8' })]) {
        chownSync(join(cluster, name), 0, 0)
      }
      expect((await start(data_dir)).started).toBe('started')
    },
  )
})

describe('killed and taken over', () => {
  test('a service killed with SIGKILL leaves its server to the next', async () => {
    const data_dir = join(makeFolder(), 'data')
    const service = await startService(data_dir, ONE_ROW)
    expect(service.report.started).toBe('created')
    const pid = postmasterPid(data_dir)
    await end(service, 'SIGKILL')
    expect(isRunning(pid)).toBe(true)

    const next = await start(data_dir)
    expect(next.started).toBe('taken_over')
    expect(postmasterPid(data_dir)).toBe(pid)
    expect(next.connection).toEqual(service.report.connection)
    expect(await query(next.connection, KEPT)).toEqual([{ id: 7 }])
    await next.stop()
    expect(isRunning(pid)).toBe(false)
    expect(existsSync(next.connection.host)).toBe(false)
  })

  test('a postmaster killed with SIGKILL: recovery, and the socket folder left is removed', async () => {
    const data_dir = join(makeFolder(), 'data')
    const service = await startService(data_dir, ONE_ROW)
    const pid = postmasterPid(data_dir)
    await end(service, 'SIGKILL')
    process.kill(pid, 'SIGKILL')
    const next = await start(data_dir)
    expect(next.started).toBe('started')
    expect(await query(next.connection, KEPT)).toEqual([{ id: 7 }])
    expect(existsSync(service.report.connection.host)).toBe(false)
    expect(readFileSync(join(data_dir, 'postgres.log'), 'utf8')).toMatch(/automatic recovery in progress/)
  })

  test('backends that outlive a killed postmaster do not stop the next start', async () => {
    const data_dir = join(makeFolder(), 'data')
    const service = await startService(data_dir, ONE_ROW)
    const { connection } = service.report
    // Computing, not waiting: a backend looks for its postmaster only when it waits.
    const busy = query(connection, 'SELECT count(*) FROM generate_series(1, 1e12::bigint)').catch(
      () => undefined,
    )
    const others = "SELECT pid FROM pg_stat_activity WHERE query LIKE '%1e12%' AND pid <> pg_backend_pid()"
    let backends: { pid: number }[] = []
    while (backends.length === 0) backends = (await query(connection, others)) as { pid: number }[]
    const pid = postmasterPid(data_dir)
    await end(service, 'SIGKILL')
    process.kill(pid, 'SIGKILL')
    await until(() => !isRunning(pid))
    expect(isRunning(backends[0]!.pid)).toBe(true)

    const next = await start(data_dir)
    await busy
    expect(isRunning(backends[0]!.pid)).toBe(false)
    expect(await query(next.connection, KEPT)).toEqual([{ id: 7 }])
  })

  test('a server in shutdown is waited for', async () => {
    const data_dir = join(makeFolder(), 'data')
    const service = await startService(data_dir, ONE_ROW)
    const pid = postmasterPid(data_dir)
    await end(service, 'SIGKILL')
    process.kill(pid, 'SIGINT')
    const next = await start(data_dir)
    expect(next.started).toBe('started')
    expect(await query(next.connection, KEPT)).toEqual([{ id: 7 }])
  })

  test('a server with other settings is started anew', async () => {
    const data_dir = join(makeFolder(), 'data')
    const service = await startService(data_dir, ONE_ROW)
    await end(service, 'SIGKILL')
    const next = await start(data_dir, { settings: { work_mem: '9MB' } })
    expect(next.started).toBe('started')
    expect(await query(next.connection, 'SHOW work_mem')).toEqual([{ work_mem: '9MB' }])
    expect(await query(next.connection, KEPT)).toEqual([{ id: 7 }])
  })

  test('a process that exits without stop() takes its server along', async () => {
    const data_dir = join(makeFolder(), 'data')
    const service = await startService(data_dir)
    const pid = postmasterPid(data_dir)
    await end(service, 'SIGUSR2')
    await until(() => !isRunning(pid))
    expect(existsSync(service.report.connection.host)).toBe(false)
    expect((await start(data_dir)).started).toBe('started')
  })

  test('Ctrl-C in the terminal does not reach the server', async () => {
    const data_dir = join(makeFolder(), 'data')
    const service = await startService(data_dir, ONE_ROW, { detached: true })
    process.kill(-service.child.pid!, 'SIGINT')
    const log = readFileSync(join(data_dir, 'postgres.log'), 'utf8')
    expect(await query(service.report.connection, KEPT)).toEqual([{ id: 7 }])
    expect(log).not.toMatch(/shutdown request/)
    const pid = postmasterPid(data_dir)
    await end(service, 'SIGTERM')
    expect(isRunning(pid)).toBe(false)
  })
})

describe('killed under its service', () => {
  test('it is started again on the same socket, as often as it takes, and stops in order', async () => {
    const data_dir = join(makeFolder(), 'data')
    const said: string[] = []
    const server = await start(data_dir, { warn: (message) => void said.push(message) })
    await query(server.connection, ONE_ROW)
    for (const signal of ['SIGKILL', 'SIGINT', 'SIGKILL'] as const) {
      const pid = postmasterPid(data_dir)
      said.length = 0
      process.kill(pid, signal)
      await vi.waitFor(() => expect(said).toHaveLength(2), PATIENT)
      expect(said).toEqual(['postgres is gone; it is started again', 'postgres runs again'])
      expect(isRunning(pid)).toBe(false)
      expect(await query(server.url, KEPT)).toEqual([{ id: 7 }])
    }
    const pid = postmasterPid(data_dir)
    await server.stop()
    expect(isRunning(pid)).toBe(false)
    expect(existsSync(server.connection.host)).toBe(false)
  })

  test('also when the lock of its socket names a process that lives', async () => {
    const data_dir = join(makeFolder(), 'data')
    const server = await start(data_dir)
    await query(server.connection, ONE_ROW)
    const pid = postmasterPid(data_dir)
    const { uid, gid } = statSync(join(data_dir, 'postgres'))
    const stranger = spawn('sleep', ['60'], { uid, gid, stdio: 'ignore' })
    try {
      const lock = join(server.connection.host, '.s.PGSQL.5432.lock')
      writeFileSync(lock, readFileSync(lock, 'utf8').replace(/^\d+/, `${stranger.pid}`))
      process.kill(pid, 'SIGKILL')
      await vi.waitFor(async () => expect(await query(server.url, KEPT)).toEqual([{ id: 7 }]), PATIENT)
    } finally {
      stranger.kill('SIGKILL')
    }
  })

  test('also one that was taken over, and one that cannot start for a while', async () => {
    const data_dir = join(makeFolder(), 'data')
    await end(await startService(data_dir, ONE_ROW), 'SIGKILL')
    const said: string[] = []
    const server = await start(data_dir, { warn: (message) => void said.push(message) })
    expect(server.started).toBe('taken_over')
    const control = join(data_dir, 'postgres', 'global', 'pg_control')
    renameSync(control, `${control}.away`)
    process.kill(postmasterPid(data_dir), 'SIGKILL')
    await vi.waitFor(() => expect(said).toContain('postgres could not be started again'), PATIENT)
    renameSync(`${control}.away`, control)
    await vi.waitFor(async () => expect(await query(server.url, KEPT)).toEqual([{ id: 7 }]), PATIENT)
  })

  test('a stop ends the one that is being started', async () => {
    const data_dir = join(makeFolder(), 'data')
    const begun = Promise.withResolvers<void>()
    const server = await start(data_dir, { warn: () => begun.resolve() })
    process.kill(postmasterPid(data_dir), 'SIGKILL')
    await begun.promise
    await server.stop()
    expect(existsSync(join(data_dir, 'postgres', 'postmaster.pid'))).toBe(false)
    expect((await start(data_dir)).started).toBe('started')
  })
})

describe('one service per folder', () => {
  test('the second is refused and the first goes on', async () => {
    const data_dir = join(makeFolder(), 'data')
    const first = await startService(data_dir, ONE_ROW)
    const refusal = `another Parterre is running on ${data_dir}`
    await expect(start(data_dir)).rejects.toThrow(refusal)
    expect((await startService(data_dir)).report.error).toBe(refusal)
    expect(await query(first.report.connection, KEPT)).toEqual([{ id: 7 }])
  })

  test('a second start in the same process is refused too', async () => {
    const data_dir = join(makeFolder(), 'data')
    const server = await start(data_dir)
    await expect(start(data_dir)).rejects.toThrow(/another Parterre is running/)
    await server.stop()
    expect((await start(data_dir)).started).toBe('started')
  })

  test('of six that begin together one starts', async () => {
    const data_dir = join(makeFolder(), 'data')
    const services = await Promise.all(Array.from({ length: 6 }, () => startService(data_dir)))
    expect(services.map(({ report }) => report.started ?? report.error).sort()).toEqual([
      ...Array.from({ length: 5 }, () => `another Parterre is running on ${data_dir}`),
      'created',
    ])
  })

  test('a copy of a live folder gets its own server', async () => {
    const parent = makeFolder()
    const first = await start(join(parent, 'data'))
    await query(first.connection, ONE_ROW)
    const pid = postmasterPid(join(parent, 'data'))
    cpSync(join(parent, 'data'), join(parent, 'copy'), { recursive: true, preserveTimestamps: true })
    const second = await start(join(parent, 'copy'))
    expect(second.started).toBe('started')
    await second.stop()
    expect(isRunning(pid)).toBe(true)
    expect(await query(first.connection, KEPT)).toEqual([{ id: 7 }])
  })
})

describe('what a crash leaves', () => {
  test('an initdb killed half way', async () => {
    const data_dir = join(makeFolder(), 'data')
    const child = spawnService(data_dir)
    const unfinished = () =>
      (existsSync(data_dir) ? readdirSync(data_dir) : []).filter((n) => n.includes('.init-'))
    await until(() => unfinished().some((name) => existsSync(join(data_dir, name, 'PG_VERSION'))))
    child.kill('SIGKILL')
    await until(() => child.signalCode !== null)
    expect(existsSync(join(data_dir, 'postgres'))).toBe(false)
    const next = await start(data_dir)
    expect(next.started).toBe('created')
    expect(unfinished()).toEqual([])
    expect(await query(next.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  test('a cluster without the database', async () => {
    const data_dir = join(makeFolder(), 'data')
    const server = await start(data_dir)
    await query({ ...server.connection, database: 'postgres' }, 'DROP DATABASE parterre')
    await server.stop()
    const next = await start(data_dir)
    expect(await query(next.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  test.each(['a live process', 'nothing', 'rubbish'])('a pid file that names %s', async (what) => {
    const data_dir = join(makeFolder(), 'data')
    const first = await start(data_dir)
    await query(first.connection, ONE_ROW)
    const pid_file = join(data_dir, 'postgres', 'postmaster.pid')
    const old = readFileSync(pid_file, 'utf8')
    await first.stop()
    const { uid, gid } = statSync(join(data_dir, 'postgres'))
    // Of the same uid, since PostgreSQL itself refuses to start beside such a pid.
    const stranger = spawn('sleep', ['60'], { uid, gid, stdio: 'ignore' })
    const pids = { 'a live process': `${stranger.pid}`, nothing: '4194000', rubbish: '' }
    writeFileSync(pid_file, old.replace(/^\d+/, pids[what as keyof typeof pids]))
    try {
      const next = await start(data_dir)
      expect(next.started).toBe('started')
      expect(await query(next.connection, KEPT)).toEqual([{ id: 7 }])
      await next.stop()
      expect(isRunning(stranger.pid!)).toBe(true)
    } finally {
      stranger.kill('SIGKILL')
    }
  })
})
