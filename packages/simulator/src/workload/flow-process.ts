import { startOfTime } from '../kernel/patch-globals.ts'
import { Client, sleep } from './client.ts'
import { limitedTag } from './set-up.ts'
import { sendTaskEvents } from './task-events.ts'
import type { World } from './world.ts'

type Json = Record<string, unknown>

/** The worker that started a process. */
interface FlowWorker {
  readonly name: string
  /** Its machine is gone. */
  onDeath(): void
}

/** The process of one flow run, from Running to its final state. It may be killed at any moment. */
export function startFlowProcess(world: World, runId: string, worker: FlowWorker): void {
  const { loop, network, ledger, plan } = world
  const client = new Client(loop, network, `run-${runId.slice(-6)}`)
  const headers = { 'x-service-worker': worker.name, ...(plan.renewsLeases ? { 'x-service-slots': 'renews' } : {}) }
  let leaseId: string | null = null
  let isDone = false

  async function propose(path: string, id: string, type: string, more: Json = {}): Promise<string> {
    const transition_id = client.newId()
    const body = { state: { type, state_details: { transition_id }, ...more } }
    for (;;) {
      const reply = await client.retry({ method: 'POST', path, params: { id }, headers, body })
      if (reply.status === 404) return 'GONE'
      if (reply.body.status === 'WAIT') {
        await sleep(Math.min(5, reply.body.details.retry_after_seconds ?? 1))
        continue
      }
      const { state, status } = reply.body
      // The response to a repeated request may be a rejection with the state that the first one led to.
      if (!state || (status !== 'ACCEPT' && state.state_details.transition_id !== transition_id)) return status
      ledger.states.set(state.id, id)
      leaseId = state.state_details.deployment_concurrency_lease_id ?? leaseId
      return 'ACCEPT'
    }
  }

  const heartbeat = () =>
    client.retry({
      method: 'POST',
      path: '/events',
      body: [
        {
          id: client.newId(),
          occurred: (startOfTime + loop.now) / 1_000_000,
          event: 'prefect.flow-run.heartbeat',
          resource: { 'prefect.resource.id': `prefect.flow-run.${runId}` },
        },
      ],
    })

  async function renewLease(): Promise<void> {
    while (!isDone) {
      await sleep(10)
      if (leaseId === null || isDone) continue
      await client.call({
        method: 'POST',
        path: '/v2/concurrency_limits/leases/:lease_id/renew',
        params: { lease_id: leaseId },
        body: { lease_duration: 60 },
      })
    }
  }

  /** A task of the run that needs a slot of the limited tag. */
  async function runTask(): Promise<void> {
    const body = { flow_run_id: runId, name: 'task', task_key: 'task', dynamic_key: '0', tags: [limitedTag], state: { type: 'PENDING' } }
    const created = await client.retry({ method: 'POST', path: '/task_runs/', body })
    if (created.status >= 300) return
    const id = created.body.id as string
    const set = '/task_runs/:id/set_state'
    if ((await propose(set, id, 'RUNNING')) !== 'ACCEPT') return
    await sleep(loop.between(0.1, 2))
    await propose(set, id, 'COMPLETED')
  }

  /** The process and its machine are gone. */
  function dies(): boolean {
    if (!loop.chance(world.faults.processDeath * 5)) return false
    ledger.killedRuns.add(runId)
    client.kill()
    return true
  }

  client.run(async () => {
    const set = '/flow_runs/:id/set_state'
    if ((await propose(set, runId, 'PENDING')) !== 'ACCEPT') return
    if (dies()) return worker.onDeath()
    if ((await propose(set, runId, 'RUNNING')) !== 'ACCEPT') return
    await heartbeat()
    if (plan.renewsLeases) void renewLease()
    if (loop.chance(0.3)) await runTask()
    if (loop.chance(0.3)) sendTaskEvents(world, runId)
    await sleep(loop.between(0.1, 6))
    if (dies()) return
    await propose(set, runId, loop.chance(0.8) ? 'COMPLETED' : 'FAILED')
    isDone = true
  })
}
