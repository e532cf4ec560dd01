import { expect, test } from 'vitest'
import { foldName } from './fold-name.ts'

test.each([
  ['Moscow', 'moscow'],
  ['Rostov-na-Donu', 'rostov na donu'],
  ['Tol’yatti', 'tolyatti'],
  ["L'Aquila", 'laquila'],
  ['São Paulo', 'sao paulo'],
  ['Köln', 'koln'],
  ['İzmir', 'izmir'],
  ['‘Ayn Ḩalāqīm', 'ayn halaqim'],
  ['Королёв', 'королев'],
  ['НИЖНИЙ  НОВГОРОД ', 'нижнии новгород'],
  ['10 de Abril (Ejido)', '10 de abril ejido'],
  [' -- ', ''],
])('%s is compared as %s', (name, folded) => {
  expect(foldName(name)).toBe(folded)
  expect(foldName(folded)).toBe(folded)
})
