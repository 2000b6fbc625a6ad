import { expect, test } from 'vitest'
import { aState, flowContext, stateWithDetails } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { bypassCancellingWithoutInfrastructure } from './bypass-cancelling-without-infrastructure.ts'

const decide = bypassCancellingWithoutInfrastructure.decide

test.each([
  ['a scheduled run that has not started', 'SCHEDULED' as const, null],
  ['a run that awaits its retry without a process', aState('SCHEDULED', { name: 'AwaitingRetry' }), null],
  ['a resuming run that had a process', aState('SCHEDULED', { name: 'Resuming' }), 'pid'],
  ['a suspended run', stateWithDetails('PAUSED', { pause_reschedule: true }, 'Suspended'), 'pid'],
])('cancels %s immediately', (_name, from, infrastructure_pid) => {
  expect(decide(flowContext(from, 'CANCELLING', { run: { infrastructure_pid } }))).toMatchObject({
    kind: 'reject',
    state: { type: 'CANCELLED', name: 'Cancelled', message: null },
    facts: { infrastructure_pid },
  })
})

test.each([
  ['a scheduled run with a process', 'SCHEDULED' as const, 'pid'],
  ['a run that awaits its retry in its process', aState('SCHEDULED', { name: 'AwaitingRetry' }), 'pid'],
  ['a run that is paused in its process', 'PAUSED' as const, null],
])('accepts Cancelling for %s', (_name, from, infrastructure_pid) => {
  expect(decide(flowContext(from, 'CANCELLING', { run: { infrastructure_pid } }))).toBe(accept)
})
