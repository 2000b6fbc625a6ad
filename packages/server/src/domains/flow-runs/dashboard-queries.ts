import type { FlowRunSort } from '@millrace/contracts/flow-run.ts'
import type { CountsById, SimpleFlowRun } from '@millrace/contracts/ui.ts'
import { sql } from 'kysely'
import { formatTime, MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { RelatedFilters } from '../relations.ts'
import { estimatedRunTime, estimatedStartTimeDelta, type RunTimes } from '../run-states/run-times.ts'
import { pageIdsQuery } from './list-runs.ts'
import { plannerOf } from './search-runs.ts'

type ChartPointRow = RunTimes & { readonly id: string; readonly state_type: SimpleFlowRun['state_type'] }

/** Reads only the columns of a point, because the parameters of a run may be large. */
export async function listChartPoints(
  db: Db,
  filters: RelatedFilters,
  options: { sort: FlowRunSort; limit: number; offset: number },
  now: Micros,
): Promise<SimpleFlowRun[]> {
  const columns = ['state_type', 'state_timestamp', 'expected_start_time', 'start_time', 'total_run_time'] as const
  const query = sql<ChartPointRow>`${await pageIdsQuery(db, filters, options, columns)}`
  return (await query.execute(plannerOf(db, filters))).rows.map((run) => ({
    id: run.id,
    state_type: run.state_type,
    timestamp: formatTime(run.start_time ?? (run.expected_start_time as number)),
    duration: estimatedRunTime(run, now) / MICROS_PER_SECOND,
    lateness: estimatedStartTimeDelta(run, now) / MICROS_PER_SECOND,
  }))
}

const taskRunCounts = statement(
  (dialect) => `select flow_run_id as id, count(*) as count from task_run
    where ${dialect.inList('flow_run_id', '$1', 'uuid')} and not exists (select 1 from flow_run subflow where subflow.parent_task_run_id = task_run.id)
    group by flow_run_id`,
)

/** Counts the task runs of each flow run, without those of subflows. */
export async function countTaskRunsByFlowRun(db: Db, flowRunIds: readonly string[]): Promise<CountsById> {
  const rows = await db.all<{ id: string; count: number }>(taskRunCounts, [db.dialect.list(flowRunIds)])
  const found = new Map(rows.map(({ id, count }) => [id, count]))
  return Object.fromEntries(flowRunIds.map((id) => [id, found.get(id) ?? 0]))
}
