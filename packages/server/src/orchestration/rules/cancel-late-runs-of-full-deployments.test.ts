import { expect, test } from 'vitest'
import { aLimit, aState, flowContext, InMemorySlots } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { cancelLateRunsOfFullDeployments } from './cancel-late-runs-of-full-deployments.ts'

const limit = 'deployment:d'
const late = aState('SCHEDULED', { name: 'Late' })
const cancelNew = { deployment_id: 'd', deploymentLimit: aLimit({ collision_strategy: 'CANCEL_NEW' }) }
const full = () => new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'other-run')

test('a late run of a full deployment that wants no more is cancelled', () => {
  expect(cancelLateRunsOfFullDeployments.decide(flowContext('SCHEDULED', late, { run: cancelNew, slots: full() }))).toMatchObject({
    kind: 'reject',
    state: { type: 'CANCELLED', message: expect.stringContaining('is full') },
    facts: { limit, slots: 1, holders: ['other-run'] },
  })
})

test.each([
  ['there is a free slot', late, cancelNew, new InMemorySlots({ [limit]: 1 })],
  ['new runs are to wait', late, { deployment_id: 'd', deploymentLimit: aLimit() }, full()],
  ['there is no limit', late, { deployment_id: 'd' }, full()],
  ['the limit was removed', late, cancelNew, new InMemorySlots()],
  ['it is not about being late', aState('SCHEDULED'), cancelNew, full()],
])('it becomes late when %s', (_name, to, run, slots) => {
  expect(cancelLateRunsOfFullDeployments.decide(flowContext('SCHEDULED', to, { run, slots }))).toBe(accept)
})
