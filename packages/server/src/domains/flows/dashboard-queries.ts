import type { StateType } from '@millrace/contracts/state.ts'
import type { CountsById, NextRunsByFlow } from '@millrace/contracts/ui.ts'
import { formatTime } from '../../lib/time.ts'
import { type Db, statement } from '../../storage/database.ts'

const deployments = statement(
  (dialect) => `select flow_id as id, count(*) as count from deployment where ${dialect.inList('flow_id', '$1', 'uuid')} group by flow_id`,
)

export async function countDeploymentsByFlow(db: Db, flowIds: readonly string[]): Promise<CountsById> {
  const rows = await db.all<{ id: string; count: number }>(deployments, [db.dialect.list(flowIds)])
  const found = new Map(rows.map(({ id, count }) => [id, count]))
  return Object.fromEntries(flowIds.map((id) => [id, found.get(id) ?? 0]))
}

/** One index lookup per flow. Grouping by flow would read all scheduled runs. */
const nextRuns = statement(
  (dialect) => `select id, flow_id, name, state_name, state_type, next_scheduled_start_time from flow_run where id in (
    select (
      select due.id from flow_run due where due.flow_id = flow.id and due.state_type = 'SCHEDULED' and due.next_scheduled_start_time is not null order by due.next_scheduled_start_time, due.id limit 1
    ) from flow where ${dialect.inList('flow.id', '$1', 'uuid')}
  )`,
)

interface NextRun {
  readonly id: string
  readonly flow_id: string
  readonly name: string
  readonly state_name: string
  readonly state_type: StateType
  readonly next_scheduled_start_time: number
}

export async function readNextRuns(db: Db, flowIds: readonly string[]): Promise<NextRunsByFlow> {
  const rows = await db.all<NextRun>(nextRuns, [db.dialect.list(flowIds)])
  const found = new Map(rows.map((run) => [run.flow_id, { ...run, next_scheduled_start_time: formatTime(run.next_scheduled_start_time) }]))
  return Object.fromEntries(flowIds.map((id) => [id, found.get(id) ?? null]))
}
