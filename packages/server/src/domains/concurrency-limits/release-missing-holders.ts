import { parseUuid } from '../../lib/ids.ts'
import { addSeconds } from '../../lib/time.ts'
import type { LeaseRow } from '../../runs/slots/lease-store.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { ActingContext } from '../../storage/server-context.ts'
import { releaseLeases } from './expire-leases.ts'

/** A run may be recorded after it has acquired its slot: clients send events of their task runs in batches. */
const missingRunSeconds = 600

const lowestUuid = '00000000-0000-0000-0000-000000000000'

const leasesOfRuns = statement(
  `select id, lease_id, holder_id, created from concurrency_lease
    where expires is null and (holder_type = 'flow_run' or holder_type = 'task_run') and holder_id is not null and created < $1
      and (created > $2 or (created = $2 and id > $3)) order by created, id limit $4`,
)
const existingRuns = (['flow_run', 'task_run'] as const).map((table) =>
  statement((dialect) => `select id from ${table} where ${dialect.inList('id', '$1', 'uuid')}`),
)

type LeaseOfRun = Pick<LeaseRow, 'id' | 'lease_id' | 'created'> & { readonly holder_id: string }

/**
 * Releases leases without an expiry whose run does not exist. The deletion of a run releases its slots, so such leases are of runs that an older server
 * deleted, of a run that started while it was deleted, and of clients that acquired a slot for a run that they never reported. Returns the number of released leases.
 */
export async function releaseMissingHolders(context: ActingContext, signal: AbortSignal, pageSize: number): Promise<number> {
  const before = addSeconds(context.clock.now(), -missingRunSeconds)
  let released = 0
  for (let after: Pick<LeaseOfRun, 'id' | 'created'> = { created: 0, id: lowestUuid }; !signal.aborted; ) {
    const page = await context.reads.all<LeaseOfRun>(leasesOfRuns, [before, after.created, after.id, pageSize])
    const last = page.at(-1)
    if (!last) break
    after = last
    const missing = await filterMissing(context.reads, page)
    if (missing.length > 0) await context.commands.submit(releaseLeases(context, missing))
    released += missing.length
  }
  return released
}

/** The ids of the leases whose run does not exist. */
async function filterMissing(db: Db, leases: readonly LeaseOfRun[]): Promise<string[]> {
  const ids = db.dialect.list([...new Set(leases.flatMap(({ holder_id }) => parseUuid(holder_id) ?? []))])
  const found = await Promise.all(existingRuns.map((query) => db.all<{ id: string }>(query, [ids])))
  const existing = new Set(found.flat().map(({ id }) => id))
  return [...new Set(leases.filter(({ holder_id }) => !existing.has(parseUuid(holder_id) ?? '')).map(({ lease_id }) => lease_id))]
}
