import { describe, expect, test } from 'vitest'
import { readNewOrder, readOrderChange } from './read-order-actions.ts'

const A = '6920a1f00007c3a5e1000001'
const B = '6920a1f00007c3a5e1000002'
const NOTHING = "'tickets' or 'random' must be"

describe('what a PATCH asks for', () => {
  test.each([
    [{ tickets: [A, B] }, { tickets: [A, B] }],
    [{ tickets: [] }, { tickets: [] }],
    [
      { tickets: [A, A], all_or_nothing: true },
      { tickets: [A, A], all_or_nothing: true },
    ],
    [{ random: { [A]: 2, [B]: 0 } }, { random: { [A]: 2, [B]: 0 } }],
    [{ random: {} }, { random: {} }],
    [
      { random: { [A]: 1_000_000 }, all_or_nothing: false },
      { random: { [A]: 1_000_000 }, all_or_nothing: false },
    ],
    [{ status: 'done' }, { status: 'done' }],
    [{ status: 7 }, { status: 7 }],
    [{ status: null }, { status: null }],
    [{ deal: A }, { deal: A }],
    [
      { tickets: [A], status: 'done', deal: B, unknown: 1 },
      { tickets: [A], status: 'done', deal: B },
    ],
  ])('%j', (body, actions) => {
    expect(readOrderChange(body)).toEqual({ ...actions, faults: [] })
  })
})

describe('the faults of a PATCH', () => {
  const COUNT = `random.${A} must be an integer from 0 to 1000000`
  test.each<[object, string[]]>([
    [{}, [NOTHING]],
    [{ all_or_nothing: true }, [NOTHING]],
    [{ unknown: 1 }, [NOTHING]],
    [{ all_or_nothing: 'yes' }, ['all_or_nothing must be a boolean', NOTHING]],
    [{ tickets: [A], random: { [A]: 1 } }, ['Only one of tickets or random can be set']],
    [{ tickets: null }, ['tickets must be a list']],
    [{ tickets: A }, ['tickets must be a list']],
    [{ tickets: { 0: A } }, ['tickets must be a list']],
    [
      { tickets: [A, 'x', null, A.toUpperCase()] },
      [1, 2, 3].map((index) => `tickets[${index}] must be an objectid`),
    ],
    [{ tickets: Array.from({ length: 1001 }, () => A) }, ['tickets must have at most 1000 ids']],
    [{ random: null }, ['random must be an object']],
    [{ random: [A] }, ['random must be an object']],
    [{ random: 2 }, ['random must be an object']],
    [{ random: { vip: 1 } }, ['random has the key "vip", which is no objectid']],
    [{ random: { ['x'.repeat(100)]: 1 } }, [`random has the key "${'x'.repeat(64)}", which is no objectid`]],
    [{ random: { [A]: -1 } }, [COUNT]],
    [{ random: { [A]: 1.5 } }, [COUNT]],
    [{ random: { [A]: '1' } }, [COUNT]],
    [{ random: { [A]: null } }, [COUNT]],
    [{ random: { [A]: true } }, [COUNT]],
    [{ random: { [A]: 1e300 } }, [COUNT]],
    [{ random: { [A]: 1_000_001 } }, [COUNT]],
    [
      { random: Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`${index}`, 1])) },
      ['random must have at most 1000 sets'],
    ],
    [{ random: { [A]: 1 }, all_or_nothing: null }, ['all_or_nothing must be a boolean']],
    [{ random: { [A]: 1 }, deal: 'x' }, ['deal must be an objectid']],
    [{ deal: null }, ['deal must be an objectid']],
    [
      { tickets: 1, random: 1, all_or_nothing: 1, deal: 1 },
      [
        'Only one of tickets or random can be set',
        'tickets must be a list',
        'random must be an object',
        'all_or_nothing must be a boolean',
        'deal must be an objectid',
      ],
    ],
  ])('%j', (body, faults) => {
    expect(readOrderChange(body).faults).toEqual(faults)
  })

  test('the status comes along, for it is judged before the fields', () => {
    expect(readOrderChange({ status: 'done', tickets: 1 })).toEqual({
      status: 'done',
      faults: ['tickets must be a list'],
    })
  })
})

describe('the event of a POST', () => {
  test.each<[object, string | undefined, string[]]>([
    [{ event: A }, A, []],
    [{ event: A, random: { [B]: 1 } }, A, []],
    [{ tickets: [B] }, undefined, []],
    [{}, undefined, ['event is required']],
    [{ tickets: [] }, undefined, ['event is required']],
    [{ random: { [B]: 1 } }, undefined, ['event is required']],
    [{ event: null, tickets: [B] }, undefined, ['event must be an objectid']],
    [{ event: 'x' }, undefined, ['event must be an objectid']],
    [{ event: 7, deal: 7 }, undefined, ['event must be an objectid', 'deal must be an objectid']],
    [{ tickets: ['x'] }, undefined, ['tickets[0] must be an objectid']],
  ])('%j', (body, event, faults) => {
    const order = readNewOrder(body)
    expect(order.event).toBe(event)
    expect(order.actions.faults).toEqual(faults)
  })
})

test('a request without a body is refused', () => {
  expect(() => readNewOrder(undefined)).toThrow('body_empty')
  expect(() => readOrderChange(undefined)).toThrow('body_empty')
})
