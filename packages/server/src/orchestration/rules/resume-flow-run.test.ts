import { expect, test } from 'vitest'
import { flowContext, stateWithDetails, timeAfter } from '../../../test/orchestration-fixtures.ts'
import { dropZeroFraction } from '../../lib/time.ts'
import { resumeFlowRun } from './resume-flow-run.ts'

const decide = resumeFlowRun.decide
const paused = stateWithDetails('PAUSED', { pause_timeout: timeAfter(60) })
const expired = stateWithDetails('PAUSED', { pause_timeout: timeAfter(-1) })
const suspended = stateWithDetails('PAUSED', { pause_reschedule: true }, 'Suspended')
const resuming = { empirical_policy: { resuming: true, pause_keys: ['k'] } }
const run = { empirical_policy: { pause_keys: ['k'] } }

test.each([
  ['RUNNING', paused],
  ['SCHEDULED', suspended],
  ['COMPLETED', paused],
  ['FAILED', paused],
  ['CANCELLED', 'PAUSED'],
  ['CRASHED', 'PAUSED'],
  ['CANCELLING', expired],
] as const)('accepts %s and marks the run as resuming', (to, from) => {
  const verdict = decide(flowContext(from, to, { run: { ...run, deployment_id: 'd' } }))
  expect(verdict).toMatchObject({ kind: 'accept', laterChanges: resuming })
  expect(verdict).not.toHaveProperty('changes')
})

test('resets the pauses of a run that waited in its process and is scheduled, as it starts again', () => {
  expect(decide(flowContext(paused, 'SCHEDULED', { run }))).toMatchObject({
    kind: 'accept',
    laterChanges: { empirical_policy: { resuming: false, pause_keys: [], retry_type: 'reschedule' } },
  })
})

test.each(['PENDING', 'PAUSED'] as const)('rejects %s and marks the run as resuming', (to) => {
  expect(decide(flowContext(paused, to, { run }))).toMatchObject({
    kind: 'reject',
    state: null,
    laterChanges: resuming,
    facts: { proposed_type: to },
  })
})

test.each(['RUNNING', 'COMPLETED'] as const)('rejects %s for a suspended run without a deployment', (to) => {
  expect(decide(flowContext(suspended, to, { run }))).toMatchObject({ kind: 'reject', state: null, facts: { deployment_id: null } })
})

test('accepts a suspended run with a deployment', () => {
  expect(decide(flowContext(suspended, 'SCHEDULED', { run: { ...run, deployment_id: 'd' } }))).toMatchObject({ kind: 'accept' })
})

test.each(['RUNNING', 'SCHEDULED', 'COMPLETED', 'FAILED'] as const)('fails the run if %s comes after the pause timeout', (to) => {
  expect(decide(flowContext(expired, to, { run }))).toMatchObject({
    kind: 'reject',
    state: { type: 'FAILED', name: 'Failed', message: expect.stringContaining('was not resumed in time') },
    facts: { pause_timeout: dropZeroFraction(timeAfter(-1)) },
    laterChanges: resuming,
  })
})

test('accepts at the moment of the timeout', () => {
  expect(decide(flowContext(stateWithDetails('PAUSED', { pause_timeout: timeAfter(0) }), 'RUNNING', { run }))).toMatchObject({ kind: 'accept' })
})
