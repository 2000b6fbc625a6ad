import type { CountsById } from '@millrace/contracts/ui.ts'
import { type Db, statement } from '../../storage/database.ts'

const counts = statement(
  (dialect) => `select flow_run_id as id, count(*) as count from task_run
    where ${dialect.inList('flow_run_id', '$1', 'uuid')} and not exists (select 1 from flow_run subflow where subflow.parent_task_run_id = task_run.id)
    group by flow_run_id`,
)

/** How many tasks each run has; one that stands for a subflow does not count. */
export async function countTaskRunsByFlowRun(db: Db, flowRunIds: readonly string[]): Promise<CountsById> {
  const rows = await db.all<{ id: string; count: number }>(counts, [db.dialect.list(flowRunIds)])
  const found = new Map(rows.map(({ id, count }) => [id, count]))
  return Object.fromEntries(flowRunIds.map((id) => [id, found.get(id) ?? 0]))
}
