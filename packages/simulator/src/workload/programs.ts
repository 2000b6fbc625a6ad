import { formatTime } from '@millrace/server/lib/time.ts'
import { startOfTime } from '../kernel/patch-globals.ts'
import { Client, sleep } from './client.ts'
import { startFlowProcess } from './flow-process.ts'
import type { HeldSlot } from './ledger.ts'
import { causeEvent, globalLimitName, poolName } from './set-up.ts'
import type { World } from './world.ts'

/** Polls the pool and starts a process for each run that it gets. */
export function startWorker(world: World, name: string): void {
  const { loop, network } = world
  const client = new Client(loop, network, name)
  const started = new Map<string, number>()
  /** A worker that is gone is replaced by another one. */
  const onDeath = () => {
    if (!client.machine.isAlive) return
    client.kill()
    loop.after(3_000_000, loop.network, () => startWorker(world, `${name}'`))
  }
  client.run(async () => {
    for (;;) {
      await client.call({
        method: 'POST',
        path: '/work_pools/:work_pool_name/workers/heartbeat',
        params: { work_pool_name: poolName },
        body: { name, heartbeat_interval_seconds: 5 },
      })
      const { status, body } = await client.call({
        method: 'POST',
        path: '/work_pools/:name/get_scheduled_flow_runs',
        params: { name: poolName },
        body: { limit: 5, scheduled_before: formatTime(startOfTime + loop.now) },
      })
      for (const { flow_run: run } of status === 200 ? body : []) {
        // A run that waited for a slot is delivered again.
        if ((started.get(run.id) ?? 0) > loop.now - 5_000_000) continue
        started.set(run.id, loop.now)
        startFlowProcess(world, run.id, { name, onDeath })
      }
      await sleep(loop.between(1, 3))
    }
  })
}

/** Sends events until a server accepts them. An event may be sent twice. */
export function startEventSender(world: World, name: string): void {
  const { loop, network, ledger } = world
  const client = new Client(loop, network, name)
  client.run(async () => {
    while (!world.isCalm) {
      const events = Array.from({ length: loop.integer(1, 3) }, () => ({
        id: client.newId(),
        occurred: (startOfTime + loop.now) / 1_000_000,
        event: loop.chance(0.3) ? causeEvent : 'simulation.event',
        resource: { 'prefect.resource.id': `simulation.${name}` },
      }))
      const { status } = await client.retry({ method: 'POST', path: '/events', body: events })
      if (status === 204) for (const { id } of events) ledger.events.add(id)
      await sleep(loop.between(0.5, 5))
    }
  })
}

/** Holds a slot of the global limit by a lease that it renews, and releases it. It may die instead. */
export function startSlotHolder(world: World, name: string): void {
  const { loop, network, ledger } = world
  const leaseSeconds = 60
  const at = '/v2/concurrency_limits'
  const client = new Client(loop, network, name)
  client.run(async () => {
    while (!world.isCalm) {
      const sentAt = loop.now
      const acquired = await client.call({
        method: 'POST',
        path: `${at}/increment-with-lease`,
        body: { names: [globalLimitName], slots: 1, lease_duration: leaseSeconds },
      })
      if (acquired.status !== 200) {
        await sleep(loop.between(0.5, 4))
        continue
      }
      const slot: HeldSlot = { limit: globalLimitName, leaseId: acquired.body.lease_id, until: sentAt + leaseSeconds * 1_000_000 }
      ledger.heldSlots.add(slot)
      for (let n = loop.integer(0, 3); n > 0; n -= 1) {
        await sleep(loop.between(1, 8))
        const renewedAt = loop.now
        const renewed = await client.call({
          method: 'POST',
          path: `${at}/leases/:lease_id/renew`,
          params: { lease_id: slot.leaseId },
          body: { lease_duration: leaseSeconds },
        })
        if (renewed.status === 204) slot.until = renewedAt + leaseSeconds * 1_000_000
      }
      // The lease of a dead holder counts until it ends.
      if (loop.chance(world.faults.processDeath * 5)) return client.kill()
      ledger.heldSlots.delete(slot)
      await client.retry({ method: 'POST', path: `${at}/decrement-with-lease`, body: { lease_id: slot.leaseId } })
      await sleep(loop.between(0.1, 3))
    }
  })
}

/** Starts runs by hand, cancels runs, and writes variables and logs. */
export function startUser(world: World): void {
  const { loop, network, ledger, ids } = world
  const client = new Client(loop, network, 'user')
  client.run(async () => {
    while (!world.isCalm) {
      await sleep(loop.between(0.2, 2))
      const choice = loop.integer(0, 4)
      if (choice === 0) {
        const body = { idempotency_key: client.newId() }
        const reply = await client.retry({
          method: 'POST',
          path: '/deployments/:id/create_flow_run',
          params: { id: loop.pick(ids.deployments) },
          body,
        })
        if (reply.status === 200 || reply.status === 201) ledger.flowRuns.add(reply.body.id)
      } else if (choice === 4) {
        // Sent once: without a key, the request must not be applied twice.
        const name = client.newId()
        const reply = await client.call({ method: 'POST', path: '/flow_runs/', body: { flow_id: ids.flow, name, state: { type: 'COMPLETED' } } })
        if (reply.status === 200 || reply.status === 201) ledger.flowRuns.add(reply.body.id)
      } else if (choice === 1) {
        const name = `variable_${loop.integer(0, 5)}`
        const value = client.newId()
        const reply = await client.call({ method: 'POST', path: '/variables/', body: { name, value } })
        if (reply.status === 201) ledger.variables.set(name, value)
      } else if (choice === 2) {
        const message = client.newId()
        const reply = await client.call({
          method: 'POST',
          path: '/logs/',
          body: [{ name: 'user', level: 20, message, timestamp: formatTime(startOfTime + loop.now) }],
        })
        if (reply.status === 201) ledger.logs.add(message)
      } else {
        const running = world.shared.rows<{ id: string }>(`select id from flow_run where state_type = 'RUNNING' order by id`)
        if (running.length === 0) continue
        const body = { state: { type: 'CANCELLING', name: 'Cancelling', state_details: { transition_id: client.newId() } } }
        const { id } = loop.pick(running)
        const reply = await client.retry({ method: 'POST', path: '/flow_runs/:id/set_state', params: { id }, body })
        if (reply.body.status === 'ACCEPT' && reply.body.state) ledger.states.set(reply.body.state.id, id)
      }
    }
  })
}
