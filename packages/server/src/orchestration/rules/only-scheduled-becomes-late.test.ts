import { expect, test } from 'vitest'
import { aState, flowContext } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { onlyScheduledBecomesLate } from './only-scheduled-becomes-late.ts'

const late = aState('SCHEDULED', { name: 'Late' })

test.each([
  ['a pending run', 'PENDING', 'Only a scheduled run can be late, and this one is Pending.'],
  ['a finished run', 'FAILED', 'Only a scheduled run can be late, and this one is Failed.'],
  ['a late run', late, 'This run is already marked late.'],
] as const)('does not mark %s late', (_name, from, reason) => {
  expect(onlyScheduledBecomesLate.decide(flowContext(from, late))).toMatchObject({ kind: 'reject', state: null, reason })
})

test.each([
  ['marks a scheduled run late', 'SCHEDULED', late],
  ['marks a run that awaits its retry late', aState('SCHEDULED', { name: 'AwaitingRetry' }), late],
  ['accepts other names', 'PENDING', aState('SCHEDULED', { name: 'Postponed' })],
  ['accepts Scheduled for a late run', late, 'SCHEDULED'],
] as const)('%s', (_name, from, to) => {
  expect(onlyScheduledBecomesLate.decide(flowContext(from, to))).toBe(accept)
})
