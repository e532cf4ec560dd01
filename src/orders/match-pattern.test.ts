import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createMatcher } from './match-pattern.ts'

test.each([
  ['^\\d{3}$', '123', true],
  ['^\\d{3}$', '12', false],
  ['b', 'abc', true],
  ['^\\p{Lu}', 'Яна', true],
])('%s, %s: %s', (pattern, text, matched) => {
  expect(createMatcher()(pattern, text)).toBe(matched)
})

test('a pattern that does not end is broken off, and the request has no more time for others', () => {
  const matches = createMatcher()
  const before = process.threadCpuUsage()
  expect(matches('^(a+)+$', `${'a'.repeat(60)}!`)).toBe(false)
  expect(matches('^(a|aa)+$', `${'a'.repeat(90)}!`)).toBe(false)
  expect(matches('b', 'b')).toBe(false)
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1000).toBeLessThan(500)
  expect(createMatcher()('b', 'b')).toBe(true)
})

/** Matches until its stdin ends, then says how many of the matches failed. */
const MATCHING = `
  import { createMatcher } from '${new URL('match-pattern.ts', import.meta.url).href}'
  let [failed, is_over] = [0, false]
  process.stdin.on('end', () => (is_over = true)).resume()
  console.log('begun')
  while (!is_over) {
    const until = performance.now() + 5
    while (performance.now() < until) if (!createMatcher()('^[a-z]{1,400}$', 'a'.repeat(400))) failed++
    await new Promise(setImmediate)
  }
  console.log(failed)`
const STALLS = 20
/** Longer than a match may take. */
const STALL_MS = 70

test(
  'a match during which the machine does something else is not broken off',
  { timeout: 30_000 },
  async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', MATCHING], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (said += text))
    await once(child.stdout, 'data')
    for (let stall = 0; stall < STALLS; stall++) {
      child.kill('SIGSTOP')
      await sleep(STALL_MS)
      child.kill('SIGCONT')
      await sleep(STALL_MS / 5)
    }
    child.stdin.end()
    await once(child, 'close')
    expect(said).toBe('begun\n0\n')
  },
)
