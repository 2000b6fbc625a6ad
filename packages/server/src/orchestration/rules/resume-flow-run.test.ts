import { expect, test } from 'vitest'
import { flowContext, stateWithDetails, timeAfter } from '../../../test/orchestration-fixtures.ts'
import { resumeFlowRun } from './resume-flow-run.ts'

const decide = resumeFlowRun.decide
const paused = stateWithDetails('PAUSED', { pause_timeout: timeAfter(60) })
const expired = stateWithDetails('PAUSED', { pause_timeout: timeAfter(-1) })
const suspended = stateWithDetails('PAUSED', { pause_reschedule: true }, 'Suspended')
const resuming = { empirical_policy: { resuming: true, pause_keys: ['k'] } }
const run = { empirical_policy: { pause_keys: ['k'] } }

test.each([
  ['RUNNING', paused],
  ['SCHEDULED', paused],
  ['COMPLETED', paused],
  ['FAILED', paused],
  ['CANCELLED', 'PAUSED'],
  ['CRASHED', 'PAUSED'],
  ['CANCELLING', expired],
] as const)('to %s: goes on, and counts as resuming afterwards', (to, from) => {
  const verdict = decide(flowContext(from, to, { run }))
  expect(verdict).toMatchObject({ kind: 'accept', afterwards: resuming })
  expect(verdict).not.toHaveProperty('changes')
})

test.each(['PENDING', 'PAUSED'] as const)('to %s: stays, and counts as resuming all the same', (to) => {
  expect(decide(flowContext(paused, to, { run }))).toMatchObject({ kind: 'reject', state: null, afterwards: resuming, facts: { proposed_type: to } })
})

test.each(['RUNNING', 'COMPLETED'] as const)('suspended without a deployment: not to %s', (to) => {
  expect(decide(flowContext(suspended, to, { run }))).toMatchObject({ kind: 'reject', state: null, facts: { deployment_id: null } })
})

test('suspended with one: goes on', () => {
  expect(decide(flowContext(suspended, 'SCHEDULED', { run: { ...run, deployment_id: 'd' } }))).toMatchObject({ kind: 'accept' })
})

test.each(['RUNNING', 'SCHEDULED', 'COMPLETED', 'FAILED'] as const)('too late for %s: failed', (to) => {
  expect(decide(flowContext(expired, to, { run }))).toMatchObject({
    kind: 'reject',
    state: { type: 'FAILED', name: 'Failed', message: expect.stringContaining('was not resumed in time') },
    facts: { pause_timeout: timeAfter(-1) },
    afterwards: resuming,
  })
})

test('at the very moment it is not too late', () => {
  expect(decide(flowContext(stateWithDetails('PAUSED', { pause_timeout: timeAfter(0) }), 'RUNNING', { run }))).toMatchObject({ kind: 'accept' })
})
