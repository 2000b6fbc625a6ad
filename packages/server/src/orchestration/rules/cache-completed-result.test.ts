import { expect, test } from 'vitest'
import { aState, stateWithDetails, taskContext, timeAfter } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { cacheCompletedResult } from './cache-completed-result.ts'

test.each([
  ['without expiration', null],
  ['with an expiration', timeAfter(600)],
])('caches a result %s', (_name, cache_expiration) => {
  const to = stateWithDetails('COMPLETED', { cache_key: 'k', cache_expiration })
  expect(cacheCompletedResult.decide(taskContext('RUNNING', to))).toEqual({
    kind: 'accept',
    effect: { kind: 'cache', cache_key: 'k', cache_expiration, state_id: to.id },
  })
})

test('caches nothing without a key', () => {
  expect(cacheCompletedResult.decide(taskContext('RUNNING', aState('COMPLETED')))).toBe(accept)
})

test('completes without caching if the key is too long', () => {
  const to = stateWithDetails('COMPLETED', { cache_key: 'k'.repeat(2001) })
  const verdict = cacheCompletedResult.decide(taskContext('RUNNING', to))
  expect(verdict).toMatchObject({ kind: 'reject', state: to, facts: { cache_key_length: 2001, cache_key_length_max: 2000 } })
  expect(verdict).not.toHaveProperty('effect')
})

test.each(['k'.repeat(2000), '😀'.repeat(2000)])('accepts a key of 2000 characters', (cache_key) => {
  expect(cacheCompletedResult.decide(taskContext('RUNNING', stateWithDetails('COMPLETED', { cache_key })))).toMatchObject({ kind: 'accept' })
})
