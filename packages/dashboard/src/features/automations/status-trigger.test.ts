import { expect, test } from 'vitest'
import { blankStatus, readStatus, type StatusKind, statusKinds, writeStatus } from './status-trigger.ts'
import type { EventDraft } from './trigger-draft.ts'

test.each(Object.keys(statusKinds) as StatusKind[])('%s: what is written is read again', (kind) => {
  const entered = { ...blankStatus(kind), times: 3, seconds: 600, things: [`prefect.${kind}.1`, `prefect.${kind}.2`] }
  expect(readStatus(writeStatus(entered))).toEqual(entered)
  const stayed = { ...blankStatus(kind), stays: true, seconds: 60 }
  expect(readStatus(writeStatus(stayed))).toEqual(stayed)
})

test('flows, deployments and tags narrow runs, each on its own', () => {
  const status = { ...blankStatus('flow-run'), related: { flow: ['prefect.flow.1'], tag: ['prefect.tag.prod', 'prefect.tag.ml'] } }
  const trigger = writeStatus(status)
  expect(trigger.match_related).toEqual([
    { 'prefect.resource.role': 'flow', 'prefect.resource.id': ['prefect.flow.1'] },
    { 'prefect.resource.role': 'tag', 'prefect.resource.id': ['prefect.tag.prod', 'prefect.tag.ml'] },
  ])
  expect(readStatus(trigger)).toEqual(status)
})

test('a single value may stand alone', () => {
  const trigger: EventDraft = {
    posture: 'Reactive',
    match: { 'prefect.resource.id': ['prefect.flow-run.*'] },
    match_related: { 'prefect.resource.id': 'prefect.flow.1', 'prefect.resource.role': 'flow' },
    expect: ['prefect.flow-run.Failed'],
  }
  expect(readStatus(trigger)).toMatchObject({ kind: 'flow-run', states: ['Failed'], related: { flow: ['prefect.flow.1'] }, forEach: [] })
})

test.each<[string, Partial<EventDraft>]>([
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
])('%s would be lost, so it is an event like any other', (_what, more) => {
  expect(readStatus({ ...writeStatus(blankStatus('flow-run')), ...more })).toBeUndefined()
})
