import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import type { StateType } from '@millrace/contracts/state.ts'
import type { QueueFilter } from '@millrace/contracts/work-queue.ts'
import { formatTime } from '../../lib/time.ts'
import type { Db } from '../../storage/database.ts'
import { countFlowRuns } from '../flow-runs/count-runs.ts'
import { listFlowRuns } from '../flow-runs/list-runs.ts'
import type { FlowRunWithPool } from '../flow-runs/store.ts'
import type { DueRange } from './due-runs.ts'

/** Deprecated: a queue with a filter gives runs of deployments by their tags, whatever queue they are in. */
export const parseQueueFilter = (text: string): QueueFilter => JSON.parse(text) as QueueFilter

export const readFilteredRuns = (db: Db, filter: QueueFilter, range: DueRange, limit: number): Promise<FlowRunWithPool[]> =>
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
