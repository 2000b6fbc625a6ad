import { expect, test } from 'vitest'
import { proofSize, reportFigures } from './proof-size.ts'
import { createReplicaFactory } from './replicas.ts'
import { seedWorkPool } from './seed-work-pool.ts'
import type { TestApp } from './setup.ts'

const startReplicas = createReplicaFactory()
const workers = proofSize(30, 200)
const runs = proofSize(150, 1000)
const runsPerPoll = 5

/** A worker polls for a few runs and claims each, as workers with a limit do, until nothing is due. */
async function work(app: TestApp, claims: { accepted: number; refused: number }): Promise<void> {
  for (;;) {
    const { body: due } = await app.call('POST', '/work_pools/mill/get_scheduled_flow_runs', { limit: runsPerPoll })
    if (due.length === 0) return
    for (const { flow_run } of due) {
      const { body } = await app.call('POST', `/flow_runs/${flow_run.id}/set_state`, { state: { type: 'PENDING' } })
      if (body.status === 'ACCEPT') claims.accepted += 1
      else claims.refused += 1
    }
  }
}

test('gives many workers on several servers different runs', async () => {
  const { apps } = await startReplicas(3)
  const { deployments } = await seedWorkPool(apps[0]!)
  const made = Array.from({ length: runs }, () => apps[0]!.call('POST', `/deployments/${deployments.default}/create_flow_run`, {}))
  await Promise.all(made)
  const claims = { accepted: 0, refused: 0 }
  await Promise.all(Array.from({ length: workers }, (_, n) => work(apps[n % apps.length]!, claims)))
  reportFigures(`${workers} workers, 3 servers, ${runs} runs: ${claims.refused} claims refused`)
  expect(claims.accepted).toBe(runs)
  expect(claims.refused / runs).toBeLessThan(2)
}, 300_000)
