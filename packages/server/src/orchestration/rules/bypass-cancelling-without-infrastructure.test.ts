import { expect, test } from 'vitest'
import { aState, flowContext, stateWithDetails } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { bypassCancellingWithoutInfrastructure } from './bypass-cancelling-without-infrastructure.ts'

const decide = bypassCancellingWithoutInfrastructure.decide

test.each([
  ['scheduled, nothing started', 'SCHEDULED' as const, null],
  ['awaiting a retry without a process', aState('SCHEDULED', { name: 'AwaitingRetry' }), null],
  ['about to resume, whatever the process was', aState('SCHEDULED', { name: 'Resuming' }), 'pid'],
  ['suspended', stateWithDetails('PAUSED', { pause_reschedule: true }, 'Suspended'), 'pid'],
])('%s: cancelled at once', (_name, from, infrastructure_pid) => {
  expect(decide(flowContext(from, 'CANCELLING', { run: { infrastructure_pid } }))).toMatchObject({
    kind: 'reject',
    state: { type: 'CANCELLED', name: 'Cancelled', message: null },
    facts: { infrastructure_pid },
  })
})

test.each([
  ['scheduled with a process', 'SCHEDULED' as const, 'pid'],
  ['awaiting a retry in its process', aState('SCHEDULED', { name: 'AwaitingRetry' }), 'pid'],
  ['paused inside its process', 'PAUSED' as const, null],
])('%s: has to be stopped', (_name, from, infrastructure_pid) => {
  expect(decide(flowContext(from, 'CANCELLING', { run: { infrastructure_pid } }))).toBe(accept)
})
