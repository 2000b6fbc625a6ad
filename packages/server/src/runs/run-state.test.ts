import { expect, test } from 'vitest'
import { completeDetails } from '../domains/run-states/state-responses.ts'
import { withDefaultDetails } from '../orchestration/states.ts'
import { parseDetails, storedDetails, toDetailsResponse } from './run-state.ts'

const run = '01a1e3a0-d0f0-7722-bb6a-7e1d5fa57eeb'

test.each([
  {},
  { flow_run_id: run },
  { flow_run_id: run, task_run_id: run },
  { task_run_id: run },
  { flow_run_id: run, scheduled_time: '2026-01-01T00:00:00Z' },
  { flow_run_id: run, deployment_concurrency_lease_id: run },
  { flow_run_id: run, cache_key: '{"flow_run_id":"x"}', deferred: null },
  { flow_run_id: run, retriable: true, run_input_keyset: { schema: 'a"b' } },
])('restores the details %o', (sent) => {
  const details = withDefaultDetails(sent as never)
  const stored = storedDetails(details)
  expect(parseDetails(stored)).toEqual(details)
  expect(completeDetails(stored)).toBe(JSON.stringify(toDetailsResponse(details)))
})

test('stores only the details that are set', () => {
  expect(storedDetails(withDefaultDetails({ flow_run_id: run, transition_id: run }))).toBe(`{"flow_run_id":"${run}","transition_id":"${run}"}`)
})

test('returns details that were stored with defaults as they are', () => {
  const text = JSON.stringify(withDefaultDetails({ flow_run_id: run }))
  expect(completeDetails(text)).toBe(text)
})

test('keeps a mark beside the details', () => {
  const text = `{"flow_run_id":"${run}","task_run_id":"${run}","reconciled":true}`
  expect(JSON.parse(completeDetails(text))).toEqual({ ...withDefaultDetails({ flow_run_id: run, task_run_id: run }), reconciled: true })
})

test('leaves out a zero fraction in responses, which stored times have for comparisons in SQL', () => {
  const details = withDefaultDetails({ scheduled_time: '2026-01-01T00:00:00Z', pause_timeout: '2026-01-01T00:00:00.5Z' })
  const shown = { scheduled_time: '2026-01-01T00:00:00Z', pause_timeout: '2026-01-01T00:00:00.500000Z' }
  expect(details.scheduled_time).toBe('2026-01-01T00:00:00.000000Z')
  expect(JSON.parse(completeDetails(storedDetails(details)))).toMatchObject(shown)
  // As versions before 0.2 stored them.
  expect(JSON.parse(completeDetails(JSON.stringify(details)))).toMatchObject(shown)
})
