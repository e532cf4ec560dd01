import { expect, test } from 'vitest'
import { dealsInForce, pickDeal } from './pick-deal.ts'

const makeDeal = (id: string, fields: Partial<ReturnType<typeof plainDeal>> = {}) => ({
  ...plainDeal(),
  ...fields,
  id,
})

function plainDeal() {
  return {
    id: '',
    vendor: 'vendor',
    events: null as string[] | null,
    lifetime: { start: null as number | null, finish: null as number | null },
    active: true,
  }
}

const NOW = 1000

test.each([
  ['all events of the organizer', {}, true],
  ['a list with the event', { events: ['other', 'event'] }, true],
  ['a list without it', { events: ['other'] }, false],
  ['an empty list', { events: [] }, false],
  ["another vendor's", { vendor: 'other' }, false],
  ['not active', { active: false }, false],
  ['begins now', { lifetime: { start: NOW, finish: null } }, true],
  ['begins later', { lifetime: { start: NOW + 1, finish: null } }, false],
  ['its last millisecond', { lifetime: { start: null, finish: NOW + 1 } }, true],
  ['has ended', { lifetime: { start: null, finish: NOW } }, false],
])('%s', (_name, fields, in_force) => {
  const deal = makeDeal('a', fields)
  const sale = { deals: [deal], vendor: 'vendor', event: 'event', now: NOW }
  expect(dealsInForce(sale)).toEqual(in_force ? [deal] : [])
  expect(pickDeal({ ...sale, deal: 'a' })).toBe(in_force ? deal : undefined)
})

const old = makeDeal('a')
const mid = makeDeal('b')
const newest = makeDeal('c')
const ended = makeDeal('d', { active: false })

test.each([
  ['the newest', [old, newest, mid], undefined, newest],
  ['the newest that is in force', [old, ended, mid], undefined, mid],
  ['the one that is named', [old, newest, mid], 'b', mid],
  ['a named one that is not in force', [old, ended], 'd', undefined],
  ['a named one that is not there', [old], 'z', undefined],
  ['none', [], undefined, undefined],
])('picks %s', (_name, deals, deal, expected) => {
  expect(pickDeal({ deals, vendor: 'vendor', event: 'event', deal, now: NOW })).toBe(expected)
})
