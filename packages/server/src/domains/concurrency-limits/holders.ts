import type { LimitHolder, LimitHolders, LimitWaiter } from '@millrace/contracts/limit-holders.ts'
import { parseUuid } from '../../lib/ids.ts'
import { formatNullableTime, formatTime, type Micros } from '../../lib/time.ts'
import type { LimitRow } from '../../runs/slots/decay.ts'
import type { LeaseRow } from '../../runs/slots/lease-store.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { RegisteredWaiter } from './waiter-registry.ts'

/** Bounds the lists; the counts cover the rest. */
const listedMax = 200

const liveLease = 'limit_id = $1 and (expires is null or expires > $2)'
const leases = statement(`select * from concurrency_lease where ${liveLease} order by created, id limit $3`)
const leaseCount = statement(`select count(*) as count from concurrency_lease where ${liveLease}`)
const flowRuns = statement((dialect) => `select id, name, id as flow_run_id from flow_run where ${dialect.inList('id', '$1', 'uuid')}`)
const taskRuns = statement((dialect) => `select id, name, flow_run_id from task_run where ${dialect.inList('id', '$1', 'uuid')}`)

const awaitingSlot = `from deployment join flow_run on flow_run.deployment_id = deployment.id
  where deployment.concurrency_limit_id = $1 and flow_run.state_type = 'SCHEDULED' and flow_run.state_name = 'AwaitingConcurrencySlot'`
const awaitingRuns = statement(
  `select flow_run.id, flow_run.name, flow_run.next_scheduled_start_time as next_try,
      (select min(timestamp) from flow_run_state where flow_run_id = flow_run.id and name = 'AwaitingConcurrencySlot') as since
    ${awaitingSlot} order by flow_run.next_scheduled_start_time, flow_run.id limit $2`,
)
const awaitingCount = statement(`select count(*) as count ${awaitingSlot}`)

interface NamedRun {
  readonly id: string
  readonly name: string
  readonly flow_run_id: string | null
}

interface AwaitingRun {
  readonly id: string
  readonly name: string
  readonly next_try: Micros | null
  readonly since: Micros | null
}

/** Lists holders and waiters of a limit. Waiters are runs in AwaitingConcurrencySlot and clients whose request was denied. */
export async function readHolders(db: Db, limit: LimitRow, registered: readonly RegisteredWaiter[], now: Micros): Promise<LimitHolders> {
  const [held, heldCount, runs, runCount] = await Promise.all([
    db.all<LeaseRow>(leases, [limit.id, now, listedMax]),
    db.first<{ count: number }>(leaseCount, [limit.id, now]),
    db.all<AwaitingRun>(awaitingRuns, [limit.id, listedMax]),
    db.first<{ count: number }>(awaitingCount, [limit.id]),
  ])
  const clients = registered.slice(0, listedMax)
  const names = await readRunNames(db, [...held.flatMap(({ holder_id }) => holder_id ?? []), ...clients.map(({ requester }) => requester.id)])
  const waiters = [...runs.map(awaitingRunToWaiter), ...clients.map((client) => toWaiterResponse(client, names))]
  return {
    holders: held.map((lease) => toHolderResponse(lease, names)),
    holder_count: Number(heldCount?.count ?? 0),
    waiters: waiters.sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0)).slice(0, listedMax),
    waiter_count: Number(runCount?.count ?? 0) + registered.length,
  }
}

async function readRunNames(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, NamedRun>> {
  const runIds = [...new Set(ids.flatMap((id) => parseUuid(id) ?? []))]
  if (runIds.length === 0) return new Map()
  const found = await Promise.all([flowRuns, taskRuns].map((query) => db.all<NamedRun>(query, [db.dialect.list(runIds)])))
  return new Map(found.flat().map((run) => [run.id, run]))
}

function toHolderResponse({ lease_id, slots, holder_type, holder_id, created, expires }: LeaseRow, runs: ReadonlyMap<string, NamedRun>): LimitHolder {
  const run = holder_id === null ? undefined : runs.get(holder_id)
  return {
    lease_id,
    slots,
    holder_type,
    holder_id,
    name: run?.name ?? null,
    flow_run_id: run?.flow_run_id ?? null,
    since: formatTime(created),
    expires: formatNullableTime(expires),
  }
}

const awaitingRunToWaiter = ({ id, name, next_try, since }: AwaitingRun): LimitWaiter => ({
  waiter_type: 'flow_run',
  waiter_id: id,
  name,
  flow_run_id: id,
  slots: 1,
  since: formatTime(since ?? next_try ?? 0),
  next_try: formatNullableTime(next_try),
})

function toWaiterResponse({ requester, slots, since, nextTry }: RegisteredWaiter, runs: ReadonlyMap<string, NamedRun>): LimitWaiter {
  const run = runs.get(requester.id)
  return {
    waiter_type: requester.type,
    waiter_id: requester.id,
    name: run?.name ?? null,
    flow_run_id: run?.flow_run_id ?? null,
    slots,
    since: formatTime(since),
    next_try: formatTime(nextTry),
  }
}
