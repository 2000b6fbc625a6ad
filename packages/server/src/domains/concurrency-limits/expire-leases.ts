import { findActiveResources } from '../../events/find-events.ts'
import { parseUuid } from '../../lib/ids.ts'
import { addSeconds, type Micros } from '../../lib/time.ts'
import type { LeaseRow } from '../../runs/slots/lease-store.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { ActingContext, ServerContext } from '../../storage/server-context.ts'
import { RequestLedger } from './request-ledger.ts'

const expired = statement('select id, limit_id from concurrency_lease where expires <= $1 order by expires limit $2')
const removeExpired = statement(
  (dialect) => `delete from concurrency_lease where ${dialect.inList('id', '$1', 'uuid')} and expires <= $2 returning *`,
)
const leasesWithoutExpiry = statement(
  `select * from concurrency_lease where expires is null and holder_type = 'flow_run' and holder_id is not null and created < $1 order by created, id limit $2`,
)
/** Runs without a state change, log or task run since $2. */
const silentRuns = statement(
  (dialect) => `select flow_run.id from flow_run
    where ${dialect.inList('flow_run.id', '$1', 'uuid')} and flow_run.updated < $2 and flow_run.state_timestamp < $2
      and not exists (select 1 from log where log.flow_run_id = flow_run.id and log.timestamp >= $2)
      and not exists (select 1 from task_run where task_run.flow_run_id = flow_run.id and task_run.updated >= $2)`,
)

/** Leases that expired before this time can no longer be renewed. */
export const renewalCutoff = ({ clock, config }: ServerContext): Micros => addSeconds(clock.now(), -config.services.lease_expiration.every_seconds)

/** Removes at most `leasesMax` leases that can no longer be renewed. Returns their number. */
export const expireLeases =
  (context: ServerContext, leasesMax: number) =>
  async (tx: Tx): Promise<number> => {
    const before = renewalCutoff(context)
    const found = await tx.all<Pick<LeaseRow, 'id' | 'limit_id'>>(expired, [before, leasesMax])
    if (found.length === 0) return 0
    const ids = [...new Set(found.flatMap(({ limit_id }) => limit_id ?? []))]
    const ledger = await RequestLedger.load(tx, context, { ids })
    // Another replica may have deleted some rows while this one waited for the locks. Only rows deleted here return their slots.
    const deleted = await tx.runReturning<LeaseRow>(removeExpired, [tx.dialect.list(found.map(({ id }) => id)), before])
    for (const row of deleted) ledger.returnSlots(row)
    await ledger.flush(tx)
    return deleted.length
  }

/**
 * Releases deployment slots of silent runs. Clients that do not renew leases hold their slot until the run ends; if such a client dies,
 * nothing else releases the slot. The run itself is not changed. Releases at most `limit` leases and returns their number.
 */
export async function releaseSilentLeases(context: ActingContext, limit: number): Promise<number> {
  const { reads, commands, config } = context
  const since = addSeconds(context.clock.now(), -config.services.zombie_detection.silent_slot_seconds)
  const silent = await readSilentLeases(reads, since, limit)
  if (silent.length === 0) return 0
  const leases = [...new Set(silent.map(({ lease_id }) => lease_id))]
  await commands.submit(releaseLeases(context, leases))
  return leases.length
}

/** Ends leases and returns their slots. */
export const releaseLeases =
  (context: ServerContext, leases: readonly string[]) =>
  async (tx: Tx): Promise<void> => {
    const ledger = await RequestLedger.load(tx, context, { leases })
    for (const leaseId of leases) ledger.releaseLease(leaseId)
    await ledger.flush(tx)
  }

async function readSilentLeases(db: Db, since: Micros, limit: number): Promise<LeaseRow[]> {
  const leases = await db.all<LeaseRow>(leasesWithoutExpiry, [since, limit])
  const runIds = leases.flatMap(({ holder_id }) => parseUuid(holder_id ?? '') ?? [])
  if (runIds.length === 0) return []
  const quiet = (await db.all<{ id: string }>(silentRuns, [db.dialect.list(runIds), since])).map(({ id }) => id)
  const active = await findActiveResources(db, quiet.map(resourceOf), since)
  const silent = new Set(quiet.filter((id) => !active.has(resourceOf(id))))
  return leases.filter(({ holder_id }) => silent.has(holder_id ?? ''))
}

const resourceOf = (runId: string): string => `prefect.flow-run.${runId}`
