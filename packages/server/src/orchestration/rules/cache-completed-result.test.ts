import { expect, test } from 'vitest'
import { aState, stateWithDetails, taskContext, timeAfter } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { cacheCompletedResult } from './cache-completed-result.ts'

test.each([
  ['for ever', null],
  ['for a time', timeAfter(600)],
])('a result is cached %s', (_name, cache_expiration) => {
  const to = stateWithDetails('COMPLETED', { cache_key: 'k', cache_expiration })
  expect(cacheCompletedResult.decide(taskContext('RUNNING', to))).toEqual({
    kind: 'accept',
    effect: { kind: 'cache', cache_key: 'k', cache_expiration, state_id: to.id },
  })
})

test('without a key there is nothing to cache', () => {
  expect(cacheCompletedResult.decide(taskContext('RUNNING', aState('COMPLETED')))).toBe(accept)
})

test('a key that is too long is refused, the completion is not', () => {
  const to = stateWithDetails('COMPLETED', { cache_key: 'k'.repeat(2001) })
  const verdict = cacheCompletedResult.decide(taskContext('RUNNING', to))
  expect(verdict).toMatchObject({ kind: 'reject', state: to, facts: { cache_key_length: 2001, cache_key_length_max: 2000 } })
  expect(verdict).not.toHaveProperty('effect')
})

test.each(['k'.repeat(2000), '😀'.repeat(2000)])('2000 characters are not too many', (cache_key) => {
  expect(cacheCompletedResult.decide(taskContext('RUNNING', stateWithDetails('COMPLETED', { cache_key })))).toMatchObject({ kind: 'accept' })
})
