import { tagLimitName } from '../lib/limit-names.ts'
import { addSeconds, type Micros } from '../lib/time.ts'
import { parseDetails } from '../runs/run-state.ts'
import { type Db, statement, type Tx } from '../storage/database.ts'
import type { Row } from '../storage/tables.ts'
import type { Source } from './source/source.ts'
import type { AdoptContext } from './step.ts'

type Lease = Row<'concurrency_lease'>

interface LimitUsage {
  readonly id: string
  readonly name: string
  readonly active_slots: number
}

interface Holder {
  readonly type: 'flow_run' | 'task_run'
  readonly id: string
  readonly since: Micros
  readonly leaseId: string | null
}

/**
 * Converts slots in use to leases. The source only counts slots and mostly does not store their holders. Slots of active runs with a limited deployment and
 * of running tasks with limited tags become leases of those runs. The remaining slots expire after the lease time, because their holders cannot renew them.
 */
export async function adoptSlots({ source, context }: AdoptContext, tx: Tx): Promise<void> {
  const { newId, config, clock } = context
  const now = clock.now()
  const expires = addSeconds(now, config.concurrency.initial_deployment_lease_seconds)
  const leases: Lease[] = []
  const addLease = (limitId: string, slots: number, holder?: Holder): void => {
    leases.push({
      id: newId(),
      lease_id: holder?.leaseId ?? newId(),
      limit_id: limitId,
      slots,
      holder_type: holder?.type ?? null,
      holder_id: holder?.id ?? null,
      created: holder?.since ?? now,
      expires: holder?.type === 'task_run' ? null : expires,
    })
  }
  const running = await readTaskRunHolders(tx)
  for (const limit of await readUsedSlots(source)) {
    const holders = [...(await readFlowRunHolders(tx, limit.id)), ...(running.get(limit.name) ?? [])].slice(0, limit.active_slots)
    for (const holder of holders) addLease(limit.id, 1, holder)
    const rest = limit.active_slots - holders.length
    if (rest > 0) addLease(limit.id, rest)
  }
  const byRun = new Map([...running.values()].flat().map((holder) => [holder.id, holder]))
  for (const { id, task_run_id } of await readLegacyTagSlots(source)) {
    const holder = byRun.get(task_run_id)
    if (holder && (await tx.first(limitById, [id]))) addLease(id, 1, holder)
  }
  await tx.insert('concurrency_lease', leases)
}

const limitById = statement('select 1 as one from concurrency_limit where id = $1')

/** Limits with decay have no leases: their usage is a column of the limit. */
async function readUsedSlots(source: Source): Promise<LimitUsage[]> {
  if (!(await source.columnsOf('concurrency_limit_v2')).has('active_slots')) return []
  return source.all<LimitUsage>(
    `select ${source.selectExpression('uuid', 'id')} as id, name, ${source.selectExpression('int', 'active_slots')} as active_slots
      from concurrency_limit_v2 where active_slots > 0 and slot_decay_per_second = 0 order by name`,
  )
}

async function readLegacyTagSlots(source: Source): Promise<{ id: string; task_run_id: string }[]> {
  if (!(await source.columnsOf('concurrency_limit')).has('active_slots')) return []
  const rows = await source.all<{ id: string; active_slots: string | null }>(
    `select ${source.selectExpression('uuid', 'id')} as id, ${source.selectExpression('json', 'active_slots')} as active_slots from concurrency_limit`,
  )
  return rows.flatMap(({ id, active_slots }) => (JSON.parse(active_slots ?? '[]') as string[]).map((task_run_id) => ({ id, task_run_id })))
}

const limitedRuns = statement(
  `select flow_run.id, flow_run.state_timestamp, flow_run.state_details from flow_run join deployment on deployment.id = flow_run.deployment_id
    where deployment.concurrency_limit_id = $1 and flow_run.state_type in ('PENDING', 'RUNNING', 'CANCELLING') order by flow_run.state_timestamp, flow_run.id`,
)

async function readFlowRunHolders(db: Db, limitId: string): Promise<Holder[]> {
  const rows = await db.all<{ id: string; state_timestamp: Micros; state_details: string }>(limitedRuns, [limitId])
  return rows.map(({ id, state_timestamp, state_details }) => ({
    type: 'flow_run',
    id,
    since: state_timestamp,
    leaseId: parseDetails(state_details).deployment_concurrency_lease_id ?? null,
  }))
}

const runningTaskRuns = statement(
  "select id, tags, state_timestamp from task_run where state_type = 'RUNNING' and tags <> '[]' order by state_timestamp, id",
)

/** Running task runs by the limit name of each tag. */
async function readTaskRunHolders(db: Db): Promise<ReadonlyMap<string, Holder[]>> {
  const found = new Map<string, Holder[]>()
  for (const { id, tags, state_timestamp } of await db.all<{ id: string; tags: string; state_timestamp: Micros }>(runningTaskRuns)) {
    for (const tag of new Set(JSON.parse(tags) as string[])) {
      const name = tagLimitName(tag)
      found.set(name, [...(found.get(name) ?? []), { type: 'task_run', id, since: state_timestamp, leaseId: null }])
    }
  }
  return found
}
