import type { StateDetails } from '@millrace/contracts/state.ts'
import { withDefaultDetails } from '../../orchestration/states.ts'
import { storedDetails } from '../../runs/run-state.ts'
import type { SqlValue } from '../../storage/connection.ts'
import { type Columns, int, json, span, text, time, uuid } from '../columns.ts'
import { toStandardJson } from '../standard-json.ts'
import type { SourceRow, Step } from '../step.ts'

/** Columns that flow runs and task runs share. The current state is read from the state table with the run. */
export const runColumns: Columns = {
  run_count: int(0),
  expected_start_time: time(),
  next_scheduled_start_time: time(),
  start_time: time(),
  end_time: time(),
  total_run_time: span(0),
  state_id: uuid(undefined, 'state.id'),
  state_type: text(),
  state_name: text(),
  state_timestamp: time(undefined, 'state.timestamp'),
  noted_timestamp: time(undefined, 'state_timestamp'),
  state_message: text(undefined, 'state.message'),
  state_data: json(undefined, 'state.data'),
  state_result: json(undefined, 'result.data'),
  state_details: json(undefined, 'state.state_details'),
}

/** The joins for `state` and `result` in the columns above. */
export const stateJoins = (runs: 'flow_run' | 'task_run'): string =>
  `left join ${runs}_state state on state.id = ${runs}.state_id left join artifact result on result.id = state.result_artifact_id`

/** Converts the columns of the current state to the target format. */
export function toStateColumns({ state_result, noted_timestamp, ...row }: SourceRow): SourceRow {
  return {
    ...row,
    state_timestamp: row.state_timestamp ?? noted_timestamp ?? null,
    state_data: stateData(row.state_data, state_result),
    state_details: row.state_id === null ? null : stateDetails(row.state_details),
  }
}

/** Copies the state history of runs. */
export const stateStep = (runs: 'flow_run' | 'task_run', noun: string): Step => ({
  name: `${runs}_state`,
  noun,
  from: `${runs}_state`,
  to: `${runs}_state`,
  requiredReferences: { [`${runs}_id`]: runs },
  joins: `left join artifact result on result.id = ${runs}_state.result_artifact_id`,
  ignoredColumns: ['created', 'updated', 'result_artifact_id'],
  columns: {
    id: uuid(),
    [`${runs}_id`]: uuid(),
    type: text(),
    name: text(),
    timestamp: time(),
    message: text(),
    data: json(),
    result: json(undefined, 'result.data'),
    state_details: json('{}'),
  },
  async write(_adoption, tx, rows) {
    const states = rows.map(({ result, ...row }) => ({ ...row, data: stateData(row.data, result), state_details: stateDetails(row.state_details) }))
    await tx.insert(`${runs}_state`, states)
  },
})

/** Values that the other server treats as no data. */
const emptyData = new Set<SqlValue | undefined>([null, undefined, 'null', '{}', '[]', '""', '0', '0.0', 'false'])

/** Data is in the state or in its result artifact. */
function stateData(data: SqlValue | undefined, result: SqlValue | undefined): string | null {
  return emptyData.has(data) ? toStandardJson(result) : toStandardJson(data)
}

/** Adds details that older servers did not have. */
function stateDetails(text: SqlValue | undefined): string {
  return storedDetails(withDefaultDetails(JSON.parse(String(text ?? '{}')) as Partial<StateDetails>))
}
