import { afterEach, expect, test, vi } from 'vitest'
import { createLog } from './log.ts'

const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
afterEach(() => void write.mockClear())

function lines(): Record<string, unknown>[] {
  return write.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>)
}

test('a line is one JSON object on stderr, with level and time', () => {
  createLog('info').info({ orders: 3 }, 'lapsed')
  expect(lines()).toEqual([
    { level: 'info', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.+Z$/), orders: 3, msg: 'lapsed' },
  ])
})

test('less severe lines are left out', () => {
  createLog('warn').info('hello')
  expect(lines()).toEqual([])
})

test('of a database error the row it quotes is left out', () => {
  const error = Object.assign(
    new Error('duplicate key value violates unique constraint "partners_ref_key"'),
    {
      code: '23505',
      constraint: 'partners_ref_key',
      detail: 'Key (ref)=(buyer@example.com) already exists.',
      where: 'COPY partners, line 1: "buyer@example.com"',
    },
  )
  createLog('info').error({ err: error }, 'failed')
  const [line] = lines()
  expect(line?.['err']).toEqual({
    type: 'Error',
    message: error.message,
    code: '23505',
    constraint: 'partners_ref_key',
    stack: expect.stringContaining('log.test.ts'),
  })
  expect(JSON.stringify(line)).not.toContain('example.com')
})
