import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import type { StateType } from '@millrace/contracts/state.ts'
import type { QueueFilter } from '@millrace/contracts/work-queue.ts'
import { formatTime } from '../../lib/time.ts'
import type { Db } from '../../storage/database.ts'
import { countFlowRuns } from '../flow-runs/count-runs.ts'
import { listFlowRuns } from '../flow-runs/list-runs.ts'
import type { ListedFlowRun } from '../flow-runs/store.ts'
import type { DueRange } from './poll-store.ts'
import { countQueueSlots } from './slot-usage.ts'
import type { QueueRow } from './store.ts'

/** Deprecated: a queue with a filter delivers runs of deployments by tags, from any queue. */
export const parseQueueFilter = (text: string): QueueFilter => JSON.parse(text) as QueueFilter

export const readFilteredRuns = (db: Db, filter: QueueFilter, range: DueRange, limit: number): Promise<ListedFlowRun[]> =>
  listFlowRuns(
    db,
    { flow_runs: { ...toFlowRunFilter(filter, ['SCHEDULED']), next_scheduled_start_time: { before_: formatTime(range.before) } } },
    { sort: 'NEXT_SCHEDULED_START_TIME_ASC', limit, offset: 0 },
  )

export const countFilteredSlots = (db: Db, filter: QueueFilter): Promise<number> =>
  countFlowRuns(db, { flow_runs: toFlowRunFilter(filter, ['PENDING', 'RUNNING']) })

const toFlowRunFilter = ({ tags, deployment_ids }: QueueFilter, types: StateType[]): FlowRunFilter => ({
  tags: { all_: tags ?? null },
  deployment_id: { any_: deployment_ids ?? null, is_null_: false },
  state: { type: { any_: types } },
})

/** Slots in use of the queues with a limit; those with a filter count the runs that match it. */
export async function countUsedSlots(db: Db, queues: readonly QueueRow[]): Promise<ReadonlyMap<string, number>> {
  const limited = queues.filter(({ concurrency_limit }) => concurrency_limit !== null)
  const unfiltered = limited.filter(({ filter }) => filter === null).map(({ id }) => id)
  const counts = new Map(await countQueueSlots(db, unfiltered))
  for (const { id, filter } of limited) if (filter !== null) counts.set(id, await countFilteredSlots(db, parseQueueFilter(filter)))
  return counts
}
