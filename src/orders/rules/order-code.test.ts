import { expect, test } from 'vitest'
import { orderCode } from './order-code.ts'

const KEY = 'a key of an installation'
const LAST = 36 ** 8 - 1

test('the codes of 50,000 orders in a row are distinct, 8 characters of [a-z0-9]', () => {
  const codes = new Set<string>()
  for (let number = 0; number < 50_000; number++) {
    const code = orderCode(number, KEY)
    if (!/^[a-z0-9]{8}$/.test(code)) expect.fail(`order ${number} has the code ${code}`)
    codes.add(code)
  }
  expect(codes.size).toBe(50_000)
})

test('numbers from the whole range have distinct codes', () => {
  const step = Math.floor(LAST / 5000)
  const numbers = Array.from({ length: 5000 }, (_, index) => index * step)
  const codes = new Set([...numbers, LAST].map((number) => orderCode(number, KEY)))
  expect(codes.size).toBe(5001)
  for (const code of codes) expect(code).toMatch(/^[a-z0-9]{8}$/)
})

test('an order keeps its code, and another key gives others', () => {
  const codesBy = (key: string) => Array.from({ length: 200 }, (_, number) => orderCode(number, key))
  expect(codesBy(KEY)).toEqual(codesBy(KEY))
  const others = new Set(codesBy('another key'))
  expect(codesBy(KEY).filter((code) => others.has(code))).toEqual([])
})

test('neighbours look unrelated: every character is as likely at every place', () => {
  const orders = 3600
  const counts = Array.from({ length: 8 }, () => new Map<string, number>())
  for (let number = 0; number < orders; number++)
    for (const [place, character] of [...orderCode(number, KEY)].entries())
      counts[place]!.set(character, (counts[place]!.get(character) ?? 0) + 1)
  for (const by_character of counts) {
    expect(by_character.size).toBe(36)
    // 100 of each are expected; six standard deviations.
    for (const count of by_character.values()) expect(Math.abs(count - 100)).toBeLessThan(60)
  }
})
