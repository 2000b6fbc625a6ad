import { expect, test } from 'vitest'
import type { EventTriggerDraft } from './event-trigger.ts'
import { defaultStatus, type StatusKind, statusKinds, toEventTrigger, toStatusTrigger } from './status-trigger.ts'

test.each(Object.keys(statusKinds) as StatusKind[])('converts %s to an event trigger and back', (kind) => {
  const entered = { ...defaultStatus(kind), times: 3, seconds: 600, resourceIds: [`prefect.${kind}.1`, `prefect.${kind}.2`] }
  expect(toStatusTrigger(toEventTrigger(entered))).toEqual(entered)
  const stayed = { ...defaultStatus(kind), stays: true, seconds: 60 }
  expect(toStatusTrigger(toEventTrigger(stayed))).toEqual(stayed)
})

test('filters runs by flows, deployments and tags independently', () => {
  const status = { ...defaultStatus('flow-run'), related: { flow: ['prefect.flow.1'], tag: ['prefect.tag.prod', 'prefect.tag.ml'] } }
  const trigger = toEventTrigger(status)
  expect(trigger.match_related).toEqual([
    { 'prefect.resource.role': 'flow', 'prefect.resource.id': ['prefect.flow.1'] },
    { 'prefect.resource.role': 'tag', 'prefect.resource.id': ['prefect.tag.prod', 'prefect.tag.ml'] },
  ])
  expect(toStatusTrigger(trigger)).toEqual(status)
})

test('accepts a single value without a list', () => {
  const trigger: EventTriggerDraft = {
    posture: 'Reactive',
    match: { 'prefect.resource.id': ['prefect.flow-run.*'] },
    match_related: { 'prefect.resource.id': 'prefect.flow.1', 'prefect.resource.role': 'flow' },
    expect: ['prefect.flow-run.Failed'],
  }
  expect(toStatusTrigger(trigger)).toMatchObject({ kind: 'flow-run', states: ['Failed'], related: { flow: ['prefect.flow.1'] }, forEach: [] })
})

test.each<[string, Partial<EventTriggerDraft>]>([
  ['another label', { match: { 'prefect.resource.id': 'prefect.flow-run.*', colour: 'red' } }],
  ['another resource', { match: { 'prefect.resource.id': 'my.thing.1' } }],
  ['an unknown name', { expect: ['prefect.flow-run.heartbeat'] }],
  ['a start', { after: ['prefect.flow-run.Running'] }],
  ['another role', { match_related: { 'prefect.resource.role': 'creator', 'prefect.resource.id': 'x' } }],
  [
    'two of a role',
    {
      match_related: [
        { 'prefect.resource.role': 'tag', 'prefect.resource.id': 'a' },
        { 'prefect.resource.role': 'tag', 'prefect.resource.id': 'b' },
      ],
    },
  ],
])('returns undefined where %s would be lost', (_what, more) => {
  expect(toStatusTrigger({ ...toEventTrigger(defaultStatus('flow-run')), ...more })).toBeUndefined()
})
