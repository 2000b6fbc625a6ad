import type { LatestRuns, LatestRunsById, RunMark } from '@millrace/contracts/latest-runs.ts'
import type { StateType } from '@millrace/contracts/state.ts'
import { formatNullableTime, MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import { type Db, type Statement, statement } from '../../storage/database.ts'

interface LatestRunRow {
  readonly id: string
  readonly name: string
  readonly state_type: string | null
  readonly state_name: string | null
  readonly expected_start_time: Micros | null
  readonly start_time: Micros | null
  readonly total_run_time: Micros
}

// One query per flow or deployment, each an index lookup. In a single query SQLite reads and sorts all runs of all flows.
const newest = (column: 'flow_id' | 'deployment_id') =>
  statement(
    `select id, name, state_type, state_name, expected_start_time, start_time, total_run_time from flow_run
      where ${column} = $1 and expected_start_time <= $2 order by expected_start_time desc, id desc limit $3`,
  )
const next = (column: 'flow_id' | 'deployment_id') =>
  statement(
    `select next_scheduled_start_time as at from flow_run
      where ${column} = $1 and state_type = 'SCHEDULED' and next_scheduled_start_time > $2 order by next_scheduled_start_time limit 1`,
  )
const ofFlow = { newest: newest('flow_id'), next: next('flow_id') }
const ofDeployment = { newest: newest('deployment_id'), next: next('deployment_id') }

interface LatestRunsQuery {
  readonly flow_ids: readonly string[]
  readonly deployment_ids: readonly string[]
  readonly limit: number
}

/** The last runs and the next scheduled start of each flow and deployment. Unknown ids have none. */
export async function readLatestRuns(db: Db, { flow_ids, deployment_ids, limit }: LatestRunsQuery, now: Micros): Promise<LatestRunsById> {
  const read = async (id: string, by: { readonly newest: Statement; readonly next: Statement }): Promise<[string, LatestRuns]> => {
    const [last, upcoming] = await Promise.all([db.all<LatestRunRow>(by.newest, [id, now, limit]), db.first<{ at: Micros }>(by.next, [id, now])])
    return [id, { last: last.map(toRunMark), next_scheduled_start_time: formatNullableTime(upcoming?.at ?? null) }]
  }
  return Object.fromEntries(await Promise.all([...flow_ids.map((id) => read(id, ofFlow)), ...deployment_ids.map((id) => read(id, ofDeployment))]))
}

const toRunMark = ({ expected_start_time, start_time, state_type, total_run_time, ...run }: LatestRunRow): RunMark => ({
  ...run,
  state_type: state_type as StateType | null,
  expected_start_time: formatNullableTime(expected_start_time),
  start_time: formatNullableTime(start_time),
  total_run_time: total_run_time / MICROS_PER_SECOND,
})
