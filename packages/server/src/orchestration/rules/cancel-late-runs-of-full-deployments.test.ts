import { expect, test } from 'vitest'
import { aLimit, aState, flowContext, InMemorySlots } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { cancelLateRunsOfFullDeployments } from './cancel-late-runs-of-full-deployments.ts'

const limit = 'deployment:d'
const late = aState('SCHEDULED', { name: 'Late' })
const cancelNew = { deployment_id: 'd', deploymentLimit: aLimit({ collision_strategy: 'CANCEL_NEW' }) }
const full = () => new InMemorySlots({ [limit]: 1 }).withHolders(limit, 'other-run')

test('cancels a late run of a full deployment with CANCEL_NEW', () => {
  expect(cancelLateRunsOfFullDeployments.decide(flowContext('SCHEDULED', late, { run: cancelNew, slots: full() }))).toMatchObject({
    kind: 'reject',
    state: { type: 'CANCELLED', message: expect.stringContaining('has no free slot') },
    facts: { limit, slots: 1, holders: ['other-run'] },
  })
})

test.each([
  ['there is a free slot', late, cancelNew, new InMemorySlots({ [limit]: 1 })],
  ['the collision strategy is ENQUEUE', late, { deployment_id: 'd', deploymentLimit: aLimit() }, full()],
  ['there is no limit', late, { deployment_id: 'd' }, full()],
  ['the limit was removed', late, cancelNew, new InMemorySlots()],
  ['the proposed state is not Late', aState('SCHEDULED'), cancelNew, full()],
])('accepts if %s', (_name, to, run, slots) => {
  expect(cancelLateRunsOfFullDeployments.decide(flowContext('SCHEDULED', to, { run, slots }))).toBe(accept)
})
