import { expect, test } from 'vitest'
import { aState, at, stateWithDetails, taskContext } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { reuseCachedResult } from './reuse-cached-result.ts'

const earlier = aState(
  'COMPLETED',
  { name: 'Fine', message: 'computed', data: '42', state_details: { cache_key: 'k', task_run_id: 'earlier' } },
  at(-60),
)
const keyed = stateWithDetails('RUNNING', { cache_key: 'k' })

test('replaces Running by a copy of the cached state', () => {
  const verdict = reuseCachedResult.decide(taskContext('PENDING', keyed, { run: { cached: earlier } }))
  expect(verdict).toMatchObject({
    kind: 'reject',
    state: { id: 'id-1', type: 'COMPLETED', name: 'Cached', message: 'computed', data: '42', timestamp: at(0), state_details: { cache_key: 'k' } },
    facts: { cache_key: 'k', task_run_id: 'earlier', state_id: earlier.id },
  })
})

test.each([
  ['nothing is cached', keyed, null],
  ['refresh_cache is set', stateWithDetails('RUNNING', { cache_key: 'k', refresh_cache: true }), earlier],
  ['there is no key', aState('RUNNING'), earlier],
])('accepts if %s', (_name, to, cached) => {
  expect(reuseCachedResult.decide(taskContext('PENDING', to, { run: { cached } }))).toBe(accept)
})
