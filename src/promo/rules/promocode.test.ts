import { expect, test } from 'vitest'
import { isOffered, promocodeFault } from './promocode.ts'
import type { Promocode } from './promocode.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const OVER = { lifetime: { start: null, finish: NOW } }
const USED_UP = { use_limit: 3, uses: 3 }

function make(fields: Partial<Promocode>): Promocode {
  return {
    id: 'p',
    event: 'e',
    code: 'CODE',
    discount: { fix: 100 },
    lifetime: { start: null, finish: null },
    sets: [],
    min_tickets: null,
    max_tickets: null,
    use_limit: null,
    uses: 0,
    viral: false,
    ...fields,
  }
}

test.each<[Partial<Promocode>, number, ReturnType<typeof promocodeFault>]>([
  [{}, 0, undefined],
  [{ lifetime: { start: NOW, finish: NOW + 1 } }, 1, undefined],
  [{ lifetime: { start: NOW + 1, finish: null } }, 1, { code: 'promocode_apply_info' }],
  [OVER, 1, { code: 'promocode_apply_info' }],
  [{ use_limit: 3, uses: 2 }, 1, undefined],
  [{ uses: 1000 }, 1, undefined],
  [USED_UP, 1, { code: 'promocode_already_used' }],
  [{ min_tickets: 2 }, 2, undefined],
  [{ min_tickets: 2 }, 1, { code: 'promocode_limit_min_tickets', n: 2 }],
  [{ min_tickets: 2 }, 0, { code: 'promocode_limit_min_tickets', n: 2 }],
  [{ max_tickets: 2 }, 2, undefined],
  [{ max_tickets: 2 }, 3, { code: 'promocode_apply_info' }],
  // The reason that will not pass comes first.
  [{ ...USED_UP, ...OVER, min_tickets: 2 }, 1, { code: 'promocode_already_used' }],
  [{ ...OVER, min_tickets: 2 }, 1, { code: 'promocode_apply_info' }],
])('%j with %i tickets: %j', (fields, tickets_count, fault) => {
  expect(promocodeFault(make(fields), { now: NOW, tickets_count })).toEqual(fault)
})

test.each<[Partial<Promocode>, boolean]>([
  [{ min_tickets: 2 }, true],
  [{ use_limit: 3, uses: 2 }, true],
  [USED_UP, false],
  [OVER, false],
])('%j is offered: %s', (fields, offered) => {
  expect(isOffered(make(fields), NOW)).toBe(offered)
})
