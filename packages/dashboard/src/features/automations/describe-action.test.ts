import { plainText } from '@millrace/client/vocabulary/describe-trigger.ts'
import { expect, test } from 'vitest'
import { formatDuration } from '../../ui/time-format.ts'
import { type ActionDraft, createAction } from './action-kinds.ts'
import { describeAction } from './describe-action.ts'

test.each<[object, string]>([
  [{ type: 'do-nothing' }, 'Do nothing'],
  [{ type: 'run-deployment', deployment_id: '1', schedule_after: 90 }, 'Run prefect.deployment.1 after 1 m 30 s'],
  [{ type: 'pause-work-pool', source: 'inferred' }, 'Pause the work pool from the event'],
  [{ type: 'change-flow-run-state', state: 'FAILED', name: 'TimedOut' }, 'Set the run to TimedOut'],
  [{ type: 'send-notification', block_document_id: '2', subject: 'Hello', body: '' }, 'Notify through prefect.block-document.2: Hello'],
  [{ type: 'call-webhook', block_document_id: '2' }, 'Call prefect.block-document.2'],
])('%j', (action, words) => {
  expect(plainText(describeAction(action as ActionDraft), formatDuration)).toBe(words)
})

test('keeps the target if the new type has the same target field', () => {
  const run = { type: 'run-deployment', source: 'selected', deployment_id: '1', parameters: { a: 1 } } as ActionDraft
  expect(createAction('pause-deployment', run)).toEqual({ type: 'pause-deployment', source: 'selected', deployment_id: '1' })
  expect(createAction('pause-work-pool', run)).toEqual({ type: 'pause-work-pool', source: 'selected' })
  expect(createAction('cancel-flow-run', run)).toEqual({ type: 'cancel-flow-run' })
})
