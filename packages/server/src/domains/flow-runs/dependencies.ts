import type { DependencyResult } from '@millrace/contracts/graph.ts'
import type { StateDetails } from '@millrace/contracts/state.ts'
import { notFound } from '../../errors.ts'
import { formatNullableTime, MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import { estimatedRunTime } from '../../orchestration/run-time-estimates.ts'
import { type Db, statement } from '../../storage/database.ts'
import { currentStateToResponse } from '../run-state.ts'
import type { TaskRunRow } from '../task-runs/store.ts'
import { flowRunExists } from './store.ts'
import { parseTaskInputs } from './task-inputs.ts'

const tasks = statement('select * from task_run where flow_run_id = $1 order by id desc')

/** The older graph: each task run of a flow run and the task runs that it waits for. */
export async function readDependencies(db: Db, flowRunId: string, now: Micros): Promise<DependencyResult[]> {
  if (!(await flowRunExists(db, flowRunId))) throw notFound('Flow run')
  return (await db.all<TaskRunRow>(tasks, [flowRunId])).map((task) => ({
    id: task.id,
    name: task.name,
    upstream_dependencies: upstreamDependencies(task.task_inputs),
    state: currentStateToResponse(task),
    expected_start_time: formatNullableTime(task.expected_start_time),
    start_time: formatNullableTime(task.start_time),
    end_time: formatNullableTime(task.end_time),
    total_run_time: task.total_run_time / MICROS_PER_SECOND,
    estimated_run_time: estimatedRunTime({ ...task, state_type: task.state_type as 'RUNNING' | null }, now) / MICROS_PER_SECOND,
    untrackable_result: task.state_details !== null && ((JSON.parse(task.state_details) as StateDetails).untrackable_result ?? false),
  }))
}

/** An input that is used twice counts once. */
function upstreamDependencies(inputs: string): DependencyResult['upstream_dependencies'] {
  if (inputs === '{}') return []
  const ids = new Set(parseTaskInputs(inputs).flatMap(({ type, id }) => (type === 'task_run' && id !== undefined ? [id] : [])))
  return [...ids].map((id) => ({ input_type: 'task_run', id }))
}
