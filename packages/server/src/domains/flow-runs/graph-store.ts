import type { TaskInputs } from '@millrace/contracts/task-run.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { Dialect } from '../../storage/dialect.ts'
import type { Row } from '../../storage/tables.ts'

/** A task run of a flow run, with its subflow if it has one. */
export interface GraphTaskRow {
  readonly id: string
  readonly name: string
  readonly state_type: string
  readonly start_time: number | null
  readonly expected_start_time: number | null
  readonly end_time: number | null
  /** JSON text. */
  readonly task_inputs: string
  readonly subflow_id: string | null
  readonly subflow_name: string | null
  readonly subflow_state_type: string | null
  readonly subflow_start_time: number | null
  readonly subflow_expected_start_time: number | null
  readonly subflow_end_time: number | null
  readonly subflow_flow_name: string | null
}

const tasks =
  statement(`select task_run.id, task_run.name, task_run.state_type, task_run.start_time, task_run.expected_start_time, task_run.end_time, task_run.task_inputs,
    subflow.id as subflow_id, subflow.name as subflow_name, subflow.state_type as subflow_state_type, subflow.start_time as subflow_start_time,
    subflow.expected_start_time as subflow_expected_start_time, subflow.end_time as subflow_end_time, flow.name as subflow_flow_name
  from task_run
  left join flow_run subflow on subflow.parent_task_run_id = task_run.id
  left join flow on flow.id = subflow.flow_id
  where task_run.flow_run_id = $1`)

export const readGraphTasks = (db: Db, flowRunId: string): Promise<GraphTaskRow[]> => db.all<GraphTaskRow>(tasks, [flowRunId])

export type GraphArtifactRow = Pick<Row<'artifact'>, 'id' | 'created' | 'key' | 'type' | 'data' | 'task_run_id'> & {
  readonly latest_id: string | null
}

// Only progress artifacts show their data; other data may be megabytes.
const artifacts = statement(`select artifact.id, artifact.created, artifact.key, artifact.type, artifact.task_run_id, artifact_collection.latest_id,
    case when artifact.type = 'progress' then artifact.data end as data
  from artifact left join artifact_collection on artifact_collection.key = artifact.key
  where artifact.flow_run_id = $1 and artifact.type <> 'result'
  order by artifact.created, artifact.id limit $2`)

/** The artifacts of the run and its task runs without results, oldest first. */
export const readGraphArtifacts = (db: Db, flowRunId: string, limit: number): Promise<GraphArtifactRow[]> =>
  db.all<GraphArtifactRow>(artifacts, [flowRunId, limit])

/** One input of an argument of a task run. */
export interface TaskInput {
  /** The name of the argument. `__parents__` is not an argument: it lists the runs that enclose the task run. */
  readonly name: string
  readonly type: string
  /** The id of the run that produced the input. Undefined for constants and parameters. */
  readonly id: string | undefined
}

export function parseTaskInputs(text: string): TaskInput[] {
  const inputs = JSON.parse(text) as TaskInputs
  const found: TaskInput[] = []
  for (const name in inputs) {
    for (const source of inputs[name] ?? []) found.push({ name, type: source.input_type ?? '', id: 'id' in source ? source.id : undefined })
  }
  return found
}

/** Changes when a row that the graph is made of changes, is added or is removed. A state is added together with a change of its run. */
const graphVersion = statement((dialect) => {
  const hash = (table: string) => dialect.versionHash(table) as string
  const tasks = `select concat(count(*), ' ', ${hash('task_run')}) from task_run where task_run.flow_run_id = flow_run.id`
  const subflows = `select concat(count(*), ' ', ${hash('subflow')}, ' ', ${hash('flow')}) from task_run
    join flow_run subflow on subflow.parent_task_run_id = task_run.id join flow on flow.id = subflow.flow_id where task_run.flow_run_id = flow_run.id`
  const artifacts = `select concat(count(*), ' ', ${hash('artifact')}, ' ', ${hash('artifact_collection')}) from artifact
    left join artifact_collection on artifact_collection.key = artifact.key where artifact.flow_run_id = flow_run.id`
  return `select concat(${dialect.rowVersion('flow_run')}, ' ', (${tasks}), ' ', (${subflows}), ' ', (${artifacts})) as version from flow_run where flow_run.id = $1`
})

const hasVersions = (dialect: Dialect): boolean => dialect.versionHash('flow_run') !== null

/** The version of the graph of a run. Undefined without the run, or where the database has no versions. */
export const readGraphVersion = async (db: Db, flowRunId: string): Promise<string | undefined> =>
  hasVersions(db.dialect) ? (await db.first<{ version: string }>(graphVersion, [flowRunId]))?.version : undefined
