import type { EventEmitter } from 'node:events'
import { describe, expect, test } from 'vitest'
import type { Queryable } from '../../src/platform/db/db.ts'
import { createExpressSession, createSession } from '../../src/platform/db/session.ts'
import type { ExpressSession, Work } from '../../src/platform/db/session.ts'
import { createTestDatabase } from '../support/database.ts'
import { stalledBy } from '../support/stall.ts'

/** Transactions that follow one another on one connection without waiting: the second begins when the first has sent its COMMIT. */

const database = await createTestDatabase()
const { db, sql } = database
await sql('CREATE TABLE written (word text PRIMARY KEY)')
await sql('CREATE TABLE gate (is_open boolean)')
await sql('INSERT INTO gate VALUES (true)')

const HOLD_GATE: [string, unknown[]] = ['SELECT 1 FROM gate FOR UPDATE', []]

const send = (tx: Queryable, text: string, values: unknown[] = []) =>
  tx.query<Record<string, unknown>>({ name: '', text }, values)
const write = (tx: Queryable, word: unknown) => send(tx, 'INSERT INTO written VALUES ($1)', [word])
/** Waits for as long as the gate is held. */
const pass = (tx: Queryable) => send(tx, 'UPDATE gate SET is_open = true')
const fail = (tx: Queryable) => send(tx, 'SELECT 1 / (SELECT 0)')

type Create = (...options: Parameters<typeof createSession>) => ExpressSession

async function withSession(create: Create, work: (session: ExpressSession) => Promise<void>): Promise<void> {
  const session: ExpressSession = create(db, { name: 'test', settings: {} })
  try {
    await sql('DELETE FROM written')
    await work(session)
  } finally {
    await session.close().catch(() => {})
  }
}

const words = async () =>
  (await sql('SELECT word FROM written ORDER BY word')).map((row) => String(row['word']))

type Sends = (tx: Queryable) => Promise<unknown>[]

const workOf =
  (sends: Sends) =>
  (tx: Queryable): Work<undefined> => ({ result: undefined, sent: sends(tx) })

/** The first is sent, the others behind it, each when the one before has sent its COMMIT. Resolves when all are sent. */
async function sendAll(session: ExpressSession, all: readonly Sends[]): Promise<Promise<unknown>[]> {
  const answers: Promise<unknown>[] = []
  for (const sends of all)
    await new Promise<void>((resolve) => {
      const answer = session.transaction(workOf(sends), resolve)
      answer.catch(() => {})
      answers.push(answer)
    })
  return answers
}

const settled = async (answers: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(answers)).map(({ status }) => status)

const circular: { self?: unknown } = {}
circular.self = circular

describe.each<{ kind: string; create: Create; unheard: string }>([
  {
    kind: 'by BEGIN and COMMIT',
    create: createSession,
    unheard: 'a transaction was rolled back and no statement of it has failed',
  },
  { kind: 'by one Sync', create: createExpressSession, unheard: 'division by zero' },
])('$kind', ({ create, unheard }) => {
  test('each begins before the one before is answered, and sees what that has written', () =>
    withSession(create, async (session) => {
      let seen: Promise<Record<string, unknown>[]> | undefined
      const { answers } = await stalledBy(database, HOLD_GATE, async (untilWaiting) => {
        const sent = await sendAll(session, [
          (tx) => [pass(tx), write(tx, 'first')],
          (tx) => {
            seen = send(tx, 'SELECT word FROM written')
            return [seen, write(tx, 'second')]
          },
          (tx) => [write(tx, 'third')],
        ])
        await untilWaiting(1)
        expect(await words()).toEqual([])
        return { answers: sent }
      })
      expect(await settled(answers)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
      expect(await seen).toEqual([{ word: 'first' }])
      expect(await words()).toEqual(['first', 'second', 'third'])
    }))

  test.each<{ name: string; sends: Sends; code: string }>([
    { name: 'its last statement', sends: (tx) => [pass(tx), write(tx, 'first'), fail(tx)], code: '22012' },
    {
      name: 'one before others',
      sends: (tx) => [pass(tx), fail(tx), write(tx, 'first'), write(tx, 'more')],
      code: '22012',
    },
  ])('the first fails by $name: it is rolled back, the second commits', ({ sends, code }) =>
    withSession(create, async (session) => {
      const { answers } = await stalledBy(database, HOLD_GATE, async (untilWaiting) => {
        const sent = await sendAll(session, [sends, (tx) => [write(tx, 'second')]])
        await untilWaiting(1)
        return { answers: sent }
      })
      await expect(answers[0]).rejects.toMatchObject({ code })
      await answers[1]
      expect(await words()).toEqual(['second'])
      await session.transaction(workOf((tx) => [write(tx, 'third')]))
      expect(await words()).toEqual(['second', 'third'])
    }),
  )

  test('the second fails: the first and the third commit', () =>
    withSession(create, async (session) => {
      const answers = await sendAll(session, [
        (tx) => [write(tx, 'first')],
        (tx) => [write(tx, 'second'), write(tx, 'first')],
        (tx) => [write(tx, 'third')],
      ])
      expect(await settled(answers)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      await expect(answers[1]).rejects.toMatchObject({ constraint: 'written_pkey' })
      expect(await words()).toEqual(['first', 'third'])
    }))

  test('a statement of which nobody waits for the failure undoes the transaction all the same', () =>
    withSession(create, async (session) => {
      const [first, second] = await sendAll(session, [
        (tx) => {
          void fail(tx)
          return [write(tx, 'first').catch(() => {})]
        },
        (tx) => [write(tx, 'second')],
      ])
      await expect(first).rejects.toThrow(unheard)
      await second
      expect(await words()).toEqual(['second'])
    }))

  test('a connection that is lost fails both, and the next transaction has a new one', () =>
    withSession(create, async (session) => {
      const backendOf = async () => {
        let rows: Promise<Record<string, unknown>[]> | undefined
        await session.transaction(workOf((tx) => [(rows = send(tx, 'SELECT pg_backend_pid() AS pid'))]))
        return (await rows)?.[0]?.['pid']
      }
      const before = await backendOf()
      const outcomes = await stalledBy(database, HOLD_GATE, async (untilWaiting) => {
        const answers = await sendAll(session, [
          (tx) => [write(tx, 'first'), pass(tx)],
          (tx) => [write(tx, 'second')],
        ])
        await untilWaiting(1)
        await sql('SELECT pg_terminate_backend($1)', [before])
        // While the gate is still held: they do not wait for it.
        return settled(answers)
      })
      expect(outcomes).toEqual(['rejected', 'rejected'])
      const after = await backendOf()
      expect(after).not.toBe(before)
      expect(await words()).toEqual([])
      await session.transaction(workOf((tx) => [write(tx, 'third')]))
      expect(await words()).toEqual(['third'])
    }))

  test.each<{ name: string; value: unknown }>([
    { name: 'an object that contains itself', value: circular },
    { name: 'an array of objects', value: [{}] },
  ])('a statement that cannot be sent leaves nothing committed: $name', ({ value }) =>
    withSession(create, async (session) => {
      await session.transaction(workOf((tx) => [write(tx, 'before')]))
      let told = 0
      const failing = session.transaction(
        workOf((tx) => [write(tx, 'first'), write(tx, value), write(tx, 'more')]),
        () => told++,
      )
      await expect(failing).rejects.toThrow(TypeError)
      expect([told, await words()]).toEqual([0, ['before']])
      const answers = await sendAll(session, [(tx) => [write(tx, 'second')], (tx) => [write(tx, 'third')]])
      expect(await settled(answers)).toEqual(['fulfilled', 'fulfilled'])
      expect(await words()).toEqual(['before', 'second', 'third'])
    }),
  )

  test.each<{ name: string; value: unknown }>([
    { name: 'an object that contains itself', value: circular },
    { name: 'an array of objects', value: [{}] },
  ])('nor does it hurt the transaction that it follows: $name', ({ value }) =>
    withSession(create, async (session) => {
      const { first, failing } = await stalledBy(database, HOLD_GATE, async (untilWaiting) => {
        const [sent] = await sendAll(session, [(tx) => [pass(tx), write(tx, 'first')]])
        const second = session.transaction(workOf((tx) => [write(tx, 'second'), write(tx, value)]))
        second.catch(() => {})
        await untilWaiting(1)
        return { first: sent, failing: second }
      })
      await first
      await expect(failing).rejects.toThrow(TypeError)
      expect(await words()).toEqual(['first'])
      await session.transaction(workOf((tx) => [write(tx, 'third')]))
      expect(await words()).toEqual(['first', 'third'])
    }),
  )
})

test('behind a BEGIN that fails nothing is written, though each statement runs by itself', () =>
  withSession(createSession, async (session) => {
    const forgetBegin = (tx: Queryable) => [send(tx, 'DEALLOCATE begin')]
    await session.transaction(workOf(forgetBegin))
    const writing = session.transaction(workOf((tx) => [write(tx, 'alone'), pass(tx), write(tx, 'too')]))
    await expect(writing).rejects.toThrow('prepared statement "begin" does not exist')
    expect(await words()).toEqual([])
    await session.transaction(workOf((tx) => [write(tx, 'again')]))
    expect(await words()).toEqual(['again'])
  }))

test('one Sync: rows as the driver reads them, the number of changed ones, the first time and later', () =>
  withSession(createExpressSession, async (session) => {
    const text = `SELECT 1::bigint AS number, '2026-01-02T03:04:05Z'::timestamptz AS at, ARRAY['a', 'b'] AS words, NULL AS none`
    for (const word of ['first', 'later']) {
      let rows: Promise<unknown> | undefined
      let changed: Promise<number> | undefined
      await session.transaction((tx) => {
        rows = tx.query({ name: 'rows', text })
        const statement = { name: 'two', text: 'INSERT INTO written SELECT unnest($1::text[])' }
        changed = tx.execute(statement, [[word, `${word} too`]])
        return { result: undefined, sent: [rows, changed] }
      })
      expect(await rows).toEqual([
        { number: 1, at: Date.UTC(2026, 0, 2, 3, 4, 5), words: ['a', 'b'], none: null },
      ])
      expect(await changed).toBe(2)
    }
    expect(await words()).toEqual(['first', 'first too', 'later', 'later too'])
  }))

test('one Sync: what fails only at the commit is not committed, and nothing is answered as if it were', () =>
  withSession(createExpressSession, async (session) => {
    await sql('CREATE TABLE late (word text UNIQUE DEFERRABLE INITIALLY DEFERRED)')
    const late = (tx: Queryable) => send(tx, `INSERT INTO late VALUES ('same') RETURNING word`)
    await session.transaction(workOf((tx) => [late(tx)]))
    let answer: Promise<unknown> | undefined
    const failing = session.transaction(workOf((tx) => [write(tx, 'first'), (answer = late(tx))]))
    await expect(failing).rejects.toMatchObject({ constraint: 'late_word_key' })
    await expect(answer).rejects.toMatchObject({ constraint: 'late_word_key' })
    expect(await words()).toEqual([])
    await session.transaction(workOf((tx) => [write(tx, 'second')]))
    expect(await words()).toEqual(['second'])
  }))

test('one Sync: what a failed transaction has prepared, and what it has not, is prepared by the next ones', () =>
  withSession(createExpressSession, async (session) => {
    const put = (tx: Queryable, word: string) =>
      tx.query({ name: 'put', text: 'INSERT INTO written VALUES ($1)' }, [word])
    const divide = (tx: Queryable) => tx.query({ name: 'divide', text: 'SELECT 1 / (SELECT 0)' })
    const take = (tx: Queryable, word: string) =>
      tx.query({ name: 'take', text: 'DELETE FROM written WHERE word = $1' }, [word])
    const answers = await sendAll(session, [
      (tx) => [put(tx, 'first'), divide(tx), take(tx, 'first')],
      (tx) => [put(tx, 'second'), take(tx, 'first')],
      (tx) => [divide(tx)],
      (tx) => [put(tx, 'third'), take(tx, 'second')],
    ])
    expect(await settled(answers)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled'])
    expect(await words()).toEqual(['third'])
  }))

test('one Sync: a failure is told when the server has rolled back, not when it says what has failed', async () => {
  let is_ready = false
  const slow: typeof db = {
    ...db,
    connect: async (options) => {
      const client = await db.connect(options)
      const { connection } = client as unknown as { connection: EventEmitter }
      const emit = connection.emit.bind(connection)
      connection.emit = (name, ...args) => {
        if (name !== 'readyForQuery') return emit(name, ...args)
        setTimeout(() => {
          is_ready = true
          emit(name, ...args)
        }, 50)
        return true
      }
      return client
    },
  }
  const session = createExpressSession(slow, { name: 'test', settings: {} })
  await expect(session.transaction(workOf((tx) => [fail(tx)]))).rejects.toThrow('division by zero')
  expect(is_ready).toBe(true)
  await session.close()
})

test('one Sync: a statement that the server has forgotten fails once, then it is prepared again', () =>
  withSession(createExpressSession, async (session) => {
    const put = (word: string) =>
      session.transaction(
        workOf((tx) => [tx.query({ name: 'put', text: 'INSERT INTO written VALUES ($1)' }, [word])]),
      )
    await put('first')
    await session.transaction(workOf((tx) => [send(tx, 'DEALLOCATE put')]))
    await expect(put('second')).rejects.toThrow('prepared statement "put" does not exist')
    await put('third')
    expect(await words()).toEqual(['first', 'third'])
  }))

test('one Sync: an answer that came in time ends its limit', () =>
  withSession(
    (of, options) => createExpressSession(of, { ...options, answer_limit_ms: 1000 }),
    async (session) => {
      const pids = new Set<unknown>()
      for (let passed_ms = 0; passed_ms < 1200; passed_ms += 400) {
        let rows: Promise<Record<string, unknown>[]> | undefined
        await session.transaction(
          workOf((tx) => [(rows = send(tx, 'SELECT pg_backend_pid() AS pid, pg_sleep(0.4) IS NULL'))]),
        )
        pids.add((await rows)?.[0]?.['pid'])
      }
      expect(pids.size).toBe(1)
    },
  ))

test('one Sync: a statement that comes too late is not taken for one that was sent', () =>
  withSession(createExpressSession, async (session) => {
    let late: Promise<unknown> | undefined
    const writing = session.transaction((tx) => {
      const first = write(tx, 'first')
      late = first.then(() => write(tx, 'late'))
      return { result: undefined, sent: [first, late] }
    })
    await expect(writing).rejects.toThrow('a statement came after its transaction was sent')
    expect(await words()).toEqual(['first'])
  }))
