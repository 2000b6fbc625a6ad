import type { EventTriggerDraft } from '@millrace/client/vocabulary/event-trigger.ts'
import { toStatusTrigger } from '@millrace/client/vocabulary/status-trigger.ts'
import { expect, test } from 'vitest'
import { draftForResource, draftFromEvent, emptyDraft, findFormIncompatibility, stripTriggerIds } from './automation-draft.ts'

test('starts from failing runs of a flow and from a pool that is not ready', () => {
  expect(toStatusTrigger(draftForResource('flow', '1', 'etl')?.trigger as EventTriggerDraft)).toMatchObject({
    kind: 'flow-run',
    related: { flow: ['prefect.flow.1'] },
  })
  expect(toStatusTrigger(draftForResource('work-pool', '1', 'gpu')?.trigger as EventTriggerDraft)).toMatchObject({
    kind: 'work-pool',
    resourceIds: ['prefect.work-pool.1'],
  })
  expect(draftForResource('tag', '1', 'x')).toBeUndefined()
})

test('starts from the same event, for runs of any run', () => {
  const of = (id: string) => (draftFromEvent({ event: 'e', resource: { 'prefect.resource.id': id } }).trigger as EventTriggerDraft).match
  expect(of('prefect.flow-run.1')).toEqual({ 'prefect.resource.id': 'prefect.flow-run.*' })
  expect(of('prefect.deployment.1')).toEqual({ 'prefect.resource.id': 'prefect.deployment.1' })
})

test('drops the trigger ids of the server at every level', () => {
  const event = { id: 'a', posture: 'Reactive' as const }
  expect(stripTriggerIds({ type: 'sequence', id: 'b', within: null, triggers: [event] })).toEqual({
    type: 'sequence',
    within: null,
    triggers: [{ posture: 'Reactive' }],
  })
})

test.each([
  [emptyDraft(), undefined],
  [[], 'The automation must be an object'],
  [{ trigger: { posture: 'Reactive' }, actions: [{ type: 'fly' }] }, '`actions[0]` has an unknown type'],
  [{ trigger: { posture: 'Sideways' } }, '`trigger.posture` must be Reactive or Proactive'],
  [{ trigger: { type: 'compound', triggers: [{ posture: 'Reactive' }, 3] } }, '`trigger.triggers[1]` is missing'],
])('%j: %s', (value, reason) => {
  expect(findFormIncompatibility(value)).toBe(reason)
})
