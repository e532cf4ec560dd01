import { describe, expect, test } from 'vitest'
import { accessFault, promokeyFault, ticketsUnderKey } from './promokey.ts'
import type { KeyWish, Promokey } from './promokey.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const [ORDER, OTHER] = ['order', 'other order']

function makeKey(fields: Partial<Promokey>): Promokey {
  return {
    id: 'k',
    event: 'e',
    code: 'KEY',
    sets: [],
    lifetime: { start: null, finish: null },
    tickets_limit: null,
    single_order: false,
    taken: 0,
    holder: null,
    ...fields,
  }
}

describe('a key is taken', () => {
  const OVER = { lifetime: { start: null, finish: NOW } }
  const first = { before: 0, after: 2, held: false }
  const more = { before: 2, after: 4, held: true }
  const fewer = { before: 2, after: 1, held: true }
  test.each<[string, Partial<Promokey> | undefined, Partial<KeyWish>, ReturnType<typeof promokeyFault>]>([
    ['free', {}, first, undefined],
    ['unknown', undefined, first, 'promokey_not_found'],
    ['in its period', { lifetime: { start: NOW, finish: NOW + 1 } }, first, undefined],
    ['before its period', { lifetime: { start: NOW + 1, finish: null } }, first, 'promokey_expired'],
    ['after its period', OVER, first, 'promokey_expired'],
    ['after its period, for more', OVER, more, 'promokey_expired'],
    ['after its period, for what the order has', OVER, { ...more, after: 2 }, undefined],
    ['after its period, for fewer', OVER, fewer, undefined],
    ['up to the limit', { tickets_limit: 5, taken: 3 }, first, undefined],
    ['beyond the limit', { tickets_limit: 5, taken: 4 }, first, 'promokey_fully_reserved'],
    ['for more up to the limit', { tickets_limit: 5, taken: 3 }, more, undefined],
    ['for more beyond the limit', { tickets_limit: 5, taken: 4 }, more, 'promokey_fully_reserved'],
    ['limit lowered below, for fewer', { tickets_limit: 1, taken: 2 }, fewer, undefined],
    [
      'none left, for no ticket yet',
      { tickets_limit: 5, taken: 5 },
      { ...first, after: 0 },
      'promokey_fully_reserved',
    ],
    ['one left, for no ticket yet', { tickets_limit: 5, taken: 4 }, { ...first, after: 0 }, undefined],
    ['single, nobody has it', { single_order: true }, first, undefined],
    ['single, its own', { single_order: true, holder: ORDER }, more, undefined],
    ['single, another has it', { single_order: true, holder: OTHER }, first, 'promokey_already_reserved'],
    ['not single any more', { holder: OTHER }, first, undefined],
  ])('%s', (_, key, wish, fault) => {
    const wished = { order: ORDER, before: 0, after: 1, held: false, now: NOW, ...wish }
    expect(promokeyFault(key && makeKey(key), wished)).toBe(fault)
  })
})

describe('access', () => {
  const closed_sets = new Set(['closed'])
  const all = { sets: [] }
  const of_closed = { sets: ['closed'] }
  const of_open = { sets: ['open'] }
  test.each<[boolean, Pick<Promokey, 'sets'> | undefined, string[], ReturnType<typeof accessFault>]>([
    [false, undefined, [], undefined],
    [false, undefined, ['open'], undefined],
    [false, undefined, ['open', 'closed'], 'promokey_needed_for_tickets'],
    [false, of_open, ['closed'], 'promokey_needed_for_tickets'],
    [false, of_closed, ['open', 'closed'], undefined],
    [false, all, ['closed'], undefined],
    [true, undefined, [], 'promokey_needed'],
    [true, undefined, ['open'], 'promokey_needed'],
    [true, all, ['open', 'closed'], undefined],
    [true, of_closed, ['closed'], undefined],
    [true, of_closed, ['open'], 'promokey_needed_for_tickets'],
    [true, of_closed, [], undefined],
  ])('event closed %s, key %j, sets %j: %s', (event_closed, key, sets, fault) => {
    expect(accessFault({ event_closed, closed_sets, key, sets })).toBe(fault)
  })
})

test('tickets of the sets a key opens count against its limit', () => {
  const sets = ['a', 'a', 'b']
  expect(ticketsUnderKey({ sets: ['a'] }, sets)).toBe(2)
  expect(ticketsUnderKey({ sets: [] }, sets)).toBe(3)
  expect(ticketsUnderKey({ sets: ['c'] }, sets)).toBe(0)
})
