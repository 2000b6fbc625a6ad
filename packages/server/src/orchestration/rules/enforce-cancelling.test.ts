import { stateTypes } from '@millrace/contracts/state.ts'
import { expect, test } from 'vitest'
import { flowContext } from '../../../test/orchestration-fixtures.ts'
import { enforceCancelling } from './enforce-cancelling.ts'

test.each(stateTypes.filter((type) => type !== 'CANCELLED'))('rejects %s for a cancelling run', (to) => {
  expect(enforceCancelling.to).toContain(to)
  expect(enforceCancelling.decide(flowContext('CANCELLING', to))).toMatchObject({ kind: 'reject', state: null, facts: { proposed_type: to } })
})

test('does not apply to Cancelled', () => {
  expect(enforceCancelling.from).toEqual(['CANCELLING'])
  expect(enforceCancelling.to).not.toContain('CANCELLED')
})
