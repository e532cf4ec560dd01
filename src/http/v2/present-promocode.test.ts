import { expect, test } from 'vitest'
import type { Promocode, PromocodeFault } from '../../promo/promocodes.ts'
import { presentPromocode, presentPromocodeFault } from './present-promocode.ts'

const PROMOCODE: Promocode = {
  id: 'p',
  event: 'e',
  code: 'SPRING',
  discount: { percentage: 250_000 },
  lifetime: { start: null, finish: null },
  sets: [],
  min_tickets: null,
  max_tickets: null,
  use_limit: null,
  uses: 0,
  viral: false,
}

test.each<[Partial<Promocode>, object]>([
  [{}, { discount: { percentage: '25%' }, viral: false }],
  [
    { discount: { fix: 10_000 }, viral: true },
    { discount: { fix: '100.00' }, viral: true },
  ],
  [
    { lifetime: { start: Date.UTC(2026, 0), finish: Date.UTC(2027, 0) } },
    {
      discount: { percentage: '25%' },
      lifetime: { start: '2026-01-01 00:00:00', finish: '2027-01-01 00:00:00' },
      viral: false,
    },
  ],
  [
    { lifetime: { start: null, finish: Date.UTC(2027, 0) } },
    { discount: { percentage: '25%' }, lifetime: { finish: '2027-01-01 00:00:00' }, viral: false },
  ],
])('%j', (fields, shown) => {
  expect(presentPromocode({ ...PROMOCODE, ...fields })).toEqual({ id: 'p', code: 'SPRING', ...shown })
})

test.each<[PromocodeFault, string]>([
  [{ code: 'promocode_not_found' }, 'Promocode not found'],
  [{ code: 'promocode_already_used' }, 'Promocode already used'],
  [
    { code: 'promocode_limit_min_tickets', n: 3 },
    'Mimimum count of tickets in order for promocode activation is 3',
  ],
  [{ code: 'promocode_apply_info' }, 'Cant apply promocode by some reason'],
])('%j: %s', (fault, msg) => {
  expect(presentPromocodeFault(fault)).toEqual({ code: fault.code, msg })
})
