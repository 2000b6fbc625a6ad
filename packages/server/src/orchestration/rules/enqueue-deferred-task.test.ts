import { expect, test } from 'vitest'
import { stateWithDetails, taskContext } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { enqueueDeferredTask } from './enqueue-deferred-task.ts'

test.each([
  ['as new', undefined, false],
  ['as a retry', 'AwaitingRetry', true],
])('enqueues a deferred task run %s', (_name, name, retry) => {
  expect(enqueueDeferredTask.decide(taskContext(null, stateWithDetails('SCHEDULED', { deferred: true }, name)))).toEqual({
    kind: 'accept',
    effect: { kind: 'enqueue', task_run_id: 'task-run', retry },
  })
})

test.each([false, null])('does not enqueue other task runs (deferred: %o)', (deferred) => {
  expect(enqueueDeferredTask.decide(taskContext(null, stateWithDetails('SCHEDULED', { deferred })))).toBe(accept)
})
