import { parseUuid } from '../../lib/ids.ts'
import { addSeconds } from '../../lib/time.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import type { LeaseRow } from './lease-store.ts'
import { SlotLedger } from './slot-ledger.ts'

const leasesWithoutExpiry = statement(
  `select * from concurrency_lease where expires is null and holder_type = 'flow_run' and holder_id is not null and created < $1 order by created, id limit $2`,
)

/** Runs that hold their slot and of which nothing was heard since: no state, no log, no task run, no event. */
const silentRuns = statement(
  (dialect) => `select flow_run.id from flow_run
    where ${dialect.inList('flow_run.id', '$1', 'uuid')} and flow_run.updated < $2 and flow_run.state_timestamp < $2
      and not exists (select 1 from log where log.flow_run_id = flow_run.id and log.timestamp >= $2)
      and not exists (select 1 from task_run where task_run.flow_run_id = flow_run.id and task_run.updated >= $2)
      and not exists (select 1 from event_resource
        where event_resource.resource_id = 'prefect.flow-run.' || cast(flow_run.id as text) and event_resource.occurred >= $2)`,
)

/**
 * Frees slots of deployments that clients hold until their run ends, as they renew no lease, when nothing was heard of the run for long: such a
 * client may have died, and nobody would ever give the slot back. The run itself is left as it is. So many at most; how many were freed.
 */
export async function releaseSilentLeases(context: ServerContext, limit: number): Promise<number> {
  const { reads, writeQueue, config } = context
  const since = addSeconds(context.clock.now(), -config.services.zombie_detection.silent_slot_seconds)
  const leases = await readSilentLeases(reads, since, limit)
  if (leases.length === 0) return 0
  return writeQueue.submit(async (tx: Tx) => {
    const { clock, newId } = context
    const needs = { leases: [...new Set(leases.map(({ lease_id }) => lease_id))] }
    const ledger = await SlotLedger.load(tx, needs, { now: clock.now(), newId, ...config.concurrency })
    for (const leaseId of needs.leases) ledger.releaseLease(leaseId)
    await ledger.flush()
    return needs.leases.length
  })
}

async function readSilentLeases(db: Db, since: number, limit: number): Promise<LeaseRow[]> {
  const leases = await db.all<LeaseRow>(leasesWithoutExpiry, [since, limit])
  const ids = leases.flatMap(({ holder_id }) => parseUuid(holder_id ?? '') ?? [])
  if (ids.length === 0) return []
  const runs = new Set((await db.all<{ id: string }>(silentRuns, [db.dialect.list(ids), since])).map(({ id }) => id))
  return leases.filter(({ holder_id }) => runs.has(holder_id ?? ''))
}
