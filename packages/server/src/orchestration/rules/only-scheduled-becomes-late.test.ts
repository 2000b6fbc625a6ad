import { expect, test } from 'vitest'
import { aState, flowContext } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { onlyScheduledBecomesLate } from './only-scheduled-becomes-late.ts'

const late = aState('SCHEDULED', { name: 'Late' })

test.each([
  ['a run that is pending', 'PENDING', 'Only a scheduled run can be late, and this one is Pending.'],
  ['a run that has ended', 'FAILED', 'Only a scheduled run can be late, and this one is Failed.'],
  ['a late run', late, 'This run is already marked late.'],
] as const)('%s is not marked late', (_name, from, reason) => {
  expect(onlyScheduledBecomesLate.decide(flowContext(from, late))).toMatchObject({ kind: 'reject', state: null, reason })
})

test.each([
  ['a scheduled run becomes late', 'SCHEDULED', late],
  ['so does one that awaits its retry', aState('SCHEDULED', { name: 'AwaitingRetry' }), late],
  ['other names are free', 'PENDING', aState('SCHEDULED', { name: 'Postponed' })],
  ['late runs may be scheduled anew', late, 'SCHEDULED'],
] as const)('%s', (_name, from, to) => {
  expect(onlyScheduledBecomesLate.decide(flowContext(from, to))).toBe(accept)
})
