import { limitedTag } from '../workload/set-up.ts'
import type { World } from '../workload/world.ts'
import { expect, expectNone } from './violation.ts'

/** Servers know the time of the database up to half of a round trip. */
const clockErrorMicros = 4_000_000

/** Invariants of every committed state of the database. */
export function checkRunning(world: World): void {
  checkDeploymentLimits(world)
  checkTagLimits(world)
  checkHeldSlots(world)
  checkReceivedOrder(world)
  checkAnswers(world)
}

/** Longer than all timeouts of a server together. */
const answerMicrosMax = 90_000_000

/** Every request gets an answer, also while the database is away. */
function checkAnswers({ loop, network }: World): void {
  for (const open of network.openRequests) {
    const { machine, since, request, server } = open
    if (!machine?.isAlive) network.openRequests.delete(open)
    else {
      const waited = loop.now - Math.max(since, machine.frozenUntil)
      expect(
        'requests are answered',
        waited < answerMicrosMax,
        () => `${request.method} ${request.path} waits at ${server} for ${waited / 1_000_000} s`,
      )
    }
  }
}

/** Runs that hold a slot. A client that renews its lease may lose it while it is silent; then only leases count. */
function checkDeploymentLimits({ shared, database, plan }: World): void {
  expectNone(
    'deployment limit',
    shared.rows(
      `select l.name, l.slots as "limit", sum(c.slots) as used from concurrency_limit l join concurrency_lease c on c.limit_id = l.id
        where c.expires is null or c.expires > ? group by l.id having used > l.slots`,
      database.now() + clockErrorMicros,
    ),
    'more slots in use than the limit has',
  )
  if (plan.renewsLeases) return
  // The process of a run that was crashed because its worker is gone may still start. It has no slot, as in the reference.
  expectNone(
    'deployment limit',
    shared.rows(
      `select d.name, l.slots as "limit", count(*) as running from flow_run r join deployment d on d.id = r.deployment_id
        join concurrency_limit l on l.id = d.concurrency_limit_id
        where r.state_type in ('PENDING', 'RUNNING')
          and not exists (select 1 from flow_run_state s where s.flow_run_id = r.id and s.type = 'CRASHED')
        group by d.id having running > l.slots`,
    ),
    'more runs are pending or running than the limit of their deployment allows',
  )
}

function checkTagLimits({ shared, plan }: World): void {
  const [row] = shared.rows<{ running: number }>(
    `select count(*) as running from task_run where state_type = 'RUNNING' and tags like '%${limitedTag}%'`,
  )
  expect('tag limit', (row?.running ?? 0) <= plan.tagLimit, () => `${row?.running} tasks run with a tag whose limit is ${plan.tagLimit}`)
}

/** A client may use its slot until its lease ends, whatever the clocks of the servers show. */
function checkHeldSlots({ loop, ledger, plan }: World): void {
  const held = [...ledger.heldSlots].filter(({ until }) => until - clockErrorMicros > loop.now)
  expect(
    'global limit',
    held.length <= plan.globalLimit,
    () => `${held.length} clients hold slots of a limit of ${plan.globalLimit}: ${held.map(({ leaseId }) => leaseId).join(', ')}`,
  )
}

function checkReceivedOrder({ ledger }: World): void {
  for (const received of ledger.received) {
    for (let n = Math.max(1, received.length - 50); n < received.length; n += 1) {
      expect(
        'event order',
        (received[n] as number) > (received[n - 1] as number),
        () => `a subscriber received ${received[n]} after ${received[n - 1]}`,
      )
    }
  }
}
