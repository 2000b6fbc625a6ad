import type { Micros } from '../../lib/time.ts'
import { changeRunsIn } from '../../runs/batch.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { ActingContext, ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { lockLimits } from '../concurrency-limits/lease-store.ts'
import { type LimitUsageRow, readLimitUsages, usedSlots } from '../concurrency-limits/store.ts'

/** Numbers of runs that wait for a slot of a limit: those scheduled for later, and those that are due for a worker. */
interface AwaitingRuns {
  /** Null if their deployments no longer have a limit. */
  readonly limit_id: string | null
  readonly waiting: number
  readonly due: number
}

// Grouped by deployment first: there are few, and the index covers the columns of the runs.
const awaitingByLimit = statement(
  `select deployment.concurrency_limit_id as limit_id, cast(sum(run.waiting) as bigint) as waiting, cast(sum(run.due) as bigint) as due
    from (
      select deployment_id, sum(case when next_scheduled_start_time > $1 then 1 else 0 end) as waiting,
        sum(case when next_scheduled_start_time > $1 then 0 else 1 end) as due
      from flow_run where state_type = 'SCHEDULED' and state_name = 'AwaitingConcurrencySlot' and deployment_id is not null
      group by deployment_id
    ) run join deployment on deployment.id = run.deployment_id
    group by deployment.concurrency_limit_id`,
)
const awaiting = (deployments: string) =>
  statement(
    (dialect) => `select id from flow_run where state_type = 'SCHEDULED' and state_name = 'AwaitingConcurrencySlot' and next_scheduled_start_time > $1
        and deployment_id in (select id from deployment where ${deployments})
      order by expected_start_time, id limit $2 ${dialect.skipLocked}`,
  )
const awaitingLimit = awaiting('concurrency_limit_id = $3')
const awaitingNoLimit = awaiting('concurrency_limit_id is null')

/** The limits with free slots and runs that are scheduled for later. Read only. */
export async function limitsWithWakeableRuns({ reads, clock, config }: ServerContext): Promise<(string | null)[]> {
  const now = clock.now()
  return (await readWakeableRuns(reads, now, config.services.lease_expiration.every_seconds)).map(({ limit_id }) => limit_id)
}

interface WakeableRuns {
  readonly limit_id: string | null
  readonly runs: number
}

async function readWakeableRuns(db: Db, now: Micros, graceSeconds: number): Promise<WakeableRuns[]> {
  const found = (await db.all<AwaitingRuns>(awaitingByLimit, [now])).filter(({ waiting }) => waiting > 0)
  if (found.length === 0) return []
  const ids = found.flatMap(({ limit_id }) => limit_id ?? [])
  const usages = new Map((await readLimitUsages(db, ids, { now, graceSeconds })).map((row) => [row.id, row]))
  return found.flatMap(({ limit_id, waiting, due }) => {
    const limit = limit_id === null ? undefined : usages.get(limit_id)
    const runs = Math.min(waiting, limit_id === null ? waiting : freeSlots(limit, now) - due)
    return runs > 0 ? [{ limit_id, runs }] : []
  })
}

/** An inactive limit has no free slots. */
const freeSlots = (limit: LimitUsageRow | undefined, now: Micros): number =>
  limit && toBoolean(limit.active) ? Math.floor(limit.slots - usedSlots(limit, now) + 1e-9) : 0

/**
 * Reschedules runs that wait for a slot to now, as many as slots are free, by expected start. Otherwise a free slot stays unused until the delay of
 * the run is over. The slot itself is acquired when a worker picks up the run.
 */
export const wakeSlotWaiters =
  (context: ActingContext, limitIds: readonly (string | null)[], runsMax: number) =>
  async (tx: Tx): Promise<number> => {
    const now = context.clock.now()
    // Two replicas must not both wake a run for the same slot.
    await lockLimits(
      tx,
      [],
      limitIds.flatMap((id) => id ?? []),
    )
    const requestedLimits = new Set(limitIds)
    const ids: string[] = []
    for (const { limit_id, runs } of await readWakeableRuns(tx, now, context.config.services.lease_expiration.every_seconds)) {
      const rest = Math.min(runs, runsMax - ids.length)
      if (rest <= 0 || !requestedLimits.has(limit_id)) continue
      const found = await (limit_id === null
        ? tx.all<{ id: string }>(awaitingNoLimit, [now, rest])
        : tx.all<{ id: string }>(awaitingLimit, [now, rest, limit_id]))
      ids.push(...found.map(({ id }) => id))
    }
    if (ids.length === 0) return 0
    const state = { type: 'SCHEDULED', name: 'AwaitingConcurrencySlot', message: 'A slot has come free.' } as const
    await changeRunsIn(
      context,
      tx,
      ids.map((id) => ({ kind: 'propose_flow_run' as const, actor: context.actor, id, state, force: true })),
    )
    return ids.length
  }
