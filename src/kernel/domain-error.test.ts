import { expect, test } from 'vitest'
import { DomainError } from './domain-error.ts'

test('an error is known by its code and details', () => {
  const error = new DomainError('too_many_tickets', { max: 50 })
  expect(error).toBeInstanceOf(Error)
  expect(error).toMatchObject({ name: 'DomainError', code: 'too_many_tickets', details: { max: 50 } })
  expect(error.stack).toContain('too_many_tickets')
  expect(new DomainError('deal_not_found').details).toEqual({})
})
