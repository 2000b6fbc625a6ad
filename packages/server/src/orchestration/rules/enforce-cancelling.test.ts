import { stateTypes } from '@millrace/contracts/state.ts'
import { expect, test } from 'vitest'
import { flowContext } from '../../../test/orchestration-fixtures.ts'
import { enforceCancelling } from './enforce-cancelling.ts'

test.each(stateTypes.filter((type) => type !== 'CANCELLED'))('while it is being cancelled a run does not become %s', (to) => {
  expect(enforceCancelling.to).toContain(to)
  expect(enforceCancelling.decide(flowContext('CANCELLING', to))).toMatchObject({ kind: 'reject', state: null, facts: { proposed_type: to } })
})

test('it speaks about nothing else', () => {
  expect(enforceCancelling.from).toEqual(['CANCELLING'])
  expect(enforceCancelling.to).not.toContain('CANCELLED')
})
