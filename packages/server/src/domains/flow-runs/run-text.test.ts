import { stateTypes } from '@millrace/contracts/state.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { writeJson } from '../../lib/json.ts'
import { runTextAt, toRunText } from './run-text.ts'
import { type ListedFlowRun, toFlowRunResponse } from './store.ts'

const time = fc.integer({ min: 0, max: 4_000_000_000_000_000 })
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null })
const json = fc.constantFrom('{}', '{"a":1.0}', '[12345678901234567890]', '{"b":"\\u0000","a":-0.0}', '"x"')
const text = fc.string({ unit: 'binary' })

const row = fc.record({
  id: fc.uuid(),
  created: time,
  updated: time,
  name: text,
  flow_id: fc.uuid(),
  state_id: orNull(fc.uuid()),
  deployment_id: orNull(fc.uuid()),
  deployment_version: orNull(text),
  work_queue_id: orNull(fc.uuid()),
  work_queue_name: orNull(text),
  queue_name: fc.option(orNull(text), { nil: undefined }),
  flow_version: orNull(text),
  parameters: json,
  idempotency_key: orNull(text),
  context: json,
  empirical_policy: json,
  tags: json,
  labels: json,
  parent_task_run_id: orNull(fc.uuid()),
  state_type: orNull(fc.constantFrom(...stateTypes)),
  state_name: orNull(text),
  state_timestamp: time,
  state_message: orNull(text),
  state_data: orNull(json),
  state_details: json,
  run_count: fc.nat(),
  expected_start_time: orNull(time),
  next_scheduled_start_time: orNull(time),
  start_time: orNull(time),
  end_time: orNull(time),
  total_run_time: fc.nat(),
  auto_scheduled: fc.constantFrom(true, false, 0, 1),
  infrastructure_document_id: orNull(fc.uuid()),
  infrastructure_pid: orNull(text),
  created_by: orNull(json),
  work_pool_id: orNull(fc.uuid()),
  work_pool_name: orNull(text),
  job_variables: json,
}) as unknown as fc.Arbitrary<ListedFlowRun>

test('equals the text of the response, at any time', () => {
  fc.assert(
    fc.property(row, time, time, (run, now, later) => {
      const built = toRunText(run)
      expect(runTextAt(built, now)).toBe(writeJson(toFlowRunResponse(run, now)))
      expect(runTextAt(built, later)).toBe(writeJson(toFlowRunResponse(run, later)))
    }),
    { numRuns: 300 },
  )
})
