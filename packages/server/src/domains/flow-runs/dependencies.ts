import type { DependencyResult } from '@millrace/contracts/graph.ts'
import type { StateDetails } from '@millrace/contracts/state.ts'
import { notFound } from '../../errors.ts'
import { flatText, quotedText, timeText } from '../../lib/json-fields.ts'
import { MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import type { TaskRunRow } from '../../runs/task-run-rows.ts'
import { type Db, statement } from '../../storage/database.ts'
import { estimatedRunTime } from '../run-states/run-times.ts'
import { parseTaskInputs } from './graph-store.ts'
import { currentStateText } from './run-text.ts'
import { flowRunExists } from './store.ts'

const columns: readonly (keyof TaskRunRow)[] = [
  'id',
  'name',
  'task_inputs',
  'expected_start_time',
  'start_time',
  'end_time',
  'total_run_time',
  'state_id',
  'state_type',
  'state_name',
  'state_timestamp',
  'state_message',
  'state_data',
  'state_details',
]
const taskRuns = statement(`select ${columns.join(', ')} from task_run where flow_run_id = $1 order by id desc`)

/** The JSON text of a response. */
export interface DependencyText {
  readonly text: string
  /** Whether a task run is running, so that its estimated run time grows. */
  readonly isRunning: boolean
}

/** The older graph format: each task run with the task runs it depends on. A list of `DependencyResult`. */
export async function readDependencies(db: Db, flowRunId: string, now: Micros): Promise<DependencyText> {
  if (!(await flowRunExists(db, flowRunId))) throw notFound('Flow run')
  const rows = await db.all<TaskRunRow>(taskRuns, [flowRunId])
  return {
    text: `[${rows.map((task) => dependencyText(task, now)).join(',')}]`,
    isRunning: rows.some(({ state_type }) => state_type === 'RUNNING'),
  }
}

const dependencyText = (task: TaskRunRow, now: Micros): string =>
  flatText`{"id":"${task.id}","name":${quotedText(task.name)},"upstream_dependencies":${JSON.stringify(upstreamDependencies(task.task_inputs))},"state":${currentStateText(task)},"expected_start_time":${timeText(task.expected_start_time)},"start_time":${timeText(task.start_time)},"end_time":${timeText(task.end_time)},"total_run_time":${task.total_run_time / MICROS_PER_SECOND},"estimated_run_time":${estimatedRunTime(task, now) / MICROS_PER_SECOND},"untrackable_result":${isUntrackable(task.state_details)}}`

const isUntrackable = (details: string | null): boolean =>
  details?.includes('"untrackable_result"') === true && ((JSON.parse(details) as StateDetails).untrackable_result ?? false)

/** Without duplicates. */
function upstreamDependencies(inputs: string): DependencyResult['upstream_dependencies'] {
  if (inputs === '{}') return []
  const ids = new Set<string>()
  for (const { type, id } of parseTaskInputs(inputs)) if (type === 'task_run' && id !== undefined) ids.add(id)
  return Array.from(ids, (id) => ({ input_type: 'task_run', id }))
}
