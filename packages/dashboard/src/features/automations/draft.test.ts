import { expect, test } from 'vitest'
import { blankDraft, draftAbout, draftFromEvent, unfitForForm, withoutIds } from './draft.ts'
import { readStatus } from './status-trigger.ts'
import type { EventDraft } from './trigger-draft.ts'

test('about a flow it is its failing runs, about a pool that it is not ready', () => {
  expect(readStatus(draftAbout('flow', '1', 'etl')?.trigger as EventDraft)).toMatchObject({ kind: 'flow-run', related: { flow: ['prefect.flow.1'] } })
  expect(readStatus(draftAbout('work-pool', '1', 'gpu')?.trigger as EventDraft)).toMatchObject({ kind: 'work-pool', things: ['prefect.work-pool.1'] })
  expect(draftAbout('tag', '1', 'x')).toBeUndefined()
})

test('from an event it is the same event again, for runs of any run', () => {
  const of = (id: string) => (draftFromEvent({ event: 'e', resource: { 'prefect.resource.id': id } }).trigger as EventDraft).match
  expect(of('prefect.flow-run.1')).toEqual({ 'prefect.resource.id': 'prefect.flow-run.*' })
  expect(of('prefect.deployment.1')).toEqual({ 'prefect.resource.id': 'prefect.deployment.1' })
})

test('ids of triggers are the server’s, however deep', () => {
  const event = { id: 'a', posture: 'Reactive' as const }
  expect(withoutIds({ type: 'sequence', id: 'b', within: null, triggers: [event] })).toEqual({
    type: 'sequence',
    within: null,
    triggers: [{ posture: 'Reactive' }],
  })
})

test.each([
  [blankDraft(), undefined],
  [[], 'An automation is an object'],
  [{ trigger: { posture: 'Reactive' }, actions: [{ type: 'fly' }] }, '`actions[0]` is of no type that there is'],
  [{ trigger: { posture: 'Sideways' } }, '`trigger.posture` is Reactive or Proactive'],
  [{ trigger: { type: 'compound', triggers: [{ posture: 'Reactive' }, 3] } }, '`trigger.triggers[1]` is missing'],
])('%j: %s', (value, reason) => {
  expect(unfitForForm(value)).toBe(reason)
})
