import type { DependencyResult, Graph, GraphArtifact, Node } from '@millrace/contracts/graph.ts'
import type { StateDetails, StateType } from '@millrace/contracts/state.ts'
import type { TaskInputs } from '@millrace/contracts/task-run.ts'
import { badRequest, notFound } from '../../errors.ts'
import { rawJson } from '../../lib/json.ts'
import { formatNullableTime, formatTime, MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { currentStateToResponse, estimatedRunTime } from '../run-state.ts'
import { flowRunStates } from '../run-states/store.ts'
import type { TaskRunRow } from '../task-runs/store.ts'
import { type GraphArtifactRow, type GraphTaskRow, readGraphArtifacts, readGraphTasks } from './graph-store.ts'
import { flowRunExists, readFlowRun } from './store.ts'

/** The graph of task runs and subflows of a run. With `since`, only nodes that did not end before it. */
export async function readGraph({ heavyReads: reads, config }: ServerContext, flowRunId: string, since: Micros): Promise<Graph> {
  const run = await readFlowRun(reads, flowRunId)
  if (!run) throw notFound('Flow run')
  const { graph_maximum_nodes: nodesMax, graph_maximum_artifacts: artifactsMax } = config.flow_runs
  const nodes = buildNodes(await readGraphTasks(reads, flowRunId)).filter(({ end }) => end === null || end >= since)
  if (nodes.length > nodesMax) throw badRequest(`The graph of flow run ${flowRunId} has more than ${nodesMax} nodes`)

  const artifacts = Map.groupBy(await readGraphArtifacts(reads, flowRunId, artifactsMax), ({ task_run_id }) => task_run_id)
  const artifactsOf = (taskRunId: string | null): GraphArtifact[] => artifacts.get(taskRunId)?.map(toArtifactResponse) ?? []
  return {
    start_time: formatNullableTime(run.start_time ?? run.expected_start_time),
    end_time: formatNullableTime(run.end_time),
    root_node_ids: nodes.filter(({ parents }) => parents.size === 0).map(({ id }) => id),
    nodes: nodes.map((node) => [node.id, toNodeResponse(node, artifactsOf(node.id))]),
    artifacts: artifactsOf(null),
    states: (await flowRunStates.list(reads, flowRunId)).map(({ id, timestamp, type, name }) => ({
      id,
      timestamp: formatTime(timestamp),
      type: type as StateType,
      name,
    })),
  }
}

interface GraphNode {
  readonly kind: Node['kind']
  readonly id: string
  readonly label: string
  readonly state_type: StateType
  readonly start: Micros
  readonly end: Micros | null
  /** The inputs of the task run as JSON text. */
  readonly inputs: string
  readonly parents: Set<GraphNode>
  readonly children: Set<GraphNode>
  readonly encapsulating: Set<GraphNode>
}

/** Nodes sorted by start, with unique edges. Edges to runs outside of this graph are dropped. */
function buildNodes(tasks: readonly GraphTaskRow[]): GraphNode[] {
  const nodes = tasks.map(toGraphNode).filter((node) => node !== undefined)
  nodes.sort(byStart)
  const byId = new Map(nodes.map((node) => [node.id, node]))
  for (const node of nodes) {
    if (node.inputs === '{}') continue
    for (const { name, id } of parseTaskInputs(node.inputs)) {
      const parent = id === undefined ? undefined : byId.get(id)
      if (!parent) continue
      if (name === '__parents__') node.encapsulating.add(parent)
      else {
        node.parents.add(parent)
        parent.children.add(node)
      }
    }
  }
  return nodes
}

/** A subflow replaces its task run. A run without any time is not part of the graph. */
function toGraphNode(task: GraphTaskRow): GraphNode | undefined {
  const start = task.subflow_start_time ?? task.subflow_expected_start_time ?? task.start_time ?? task.expected_start_time
  if (start === null) return undefined
  const instant = task.state_type === 'COMPLETED' ? task.expected_start_time : null
  return {
    kind: task.subflow_id === null ? 'task-run' : 'flow-run',
    id: task.subflow_id ?? task.id,
    label: task.subflow_id === null ? task.name : `${task.subflow_flow_name} / ${task.subflow_name}`,
    state_type: (task.subflow_state_type ?? task.state_type) as StateType,
    start,
    end: task.subflow_end_time ?? task.end_time ?? instant,
    inputs: task.task_inputs,
    parents: new Set(),
    children: new Set(),
    encapsulating: new Set(),
  }
}

const byStart = (a: GraphNode, b: GraphNode): number => a.start - b.start || (a.end ?? 0) - (b.end ?? 0) || (a.id < b.id ? -1 : 1)

const toNodeResponse = (node: GraphNode, artifacts: GraphArtifact[]): Node => ({
  kind: node.kind,
  id: node.id,
  label: node.label,
  state_type: node.state_type,
  start_time: formatTime(node.start),
  end_time: formatNullableTime(node.end),
  parents: edges(node.parents),
  children: edges(node.children),
  encapsulating: edges(node.encapsulating),
  artifacts,
})

const edges = (nodes: Set<GraphNode>): { id: string }[] => (nodes.size === 0 ? [] : [...nodes].sort(byStart).map(({ id }) => ({ id })))

const toArtifactResponse = (row: GraphArtifactRow): GraphArtifact => ({
  id: row.id,
  created: formatTime(row.created),
  key: row.key,
  type: row.type,
  is_latest: row.key === null || row.latest_id === row.id,
  data: rawJson(row.data),
})

const taskRuns = statement('select * from task_run where flow_run_id = $1 order by id desc')

/** The older graph format: each task run with the task runs it depends on. */
export async function readDependencies(db: Db, flowRunId: string, now: Micros): Promise<DependencyResult[]> {
  if (!(await flowRunExists(db, flowRunId))) throw notFound('Flow run')
  return (await db.all<TaskRunRow>(taskRuns, [flowRunId])).map((task) => ({
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

/** Without duplicates. */
function upstreamDependencies(inputs: string): DependencyResult['upstream_dependencies'] {
  if (inputs === '{}') return []
  const ids = new Set(parseTaskInputs(inputs).flatMap(({ type, id }) => (type === 'task_run' && id !== undefined ? [id] : [])))
  return [...ids].map((id) => ({ input_type: 'task_run', id }))
}

/** One input of an argument of a task run. */
export interface TaskInput {
  /** The name of the argument. `__parents__` is not an argument: it lists the runs that enclose the task run. */
  readonly name: string
  readonly type: string
  /** The id of the run that produced the input. Undefined for constants and parameters. */
  readonly id: string | undefined
}

export function parseTaskInputs(text: string): TaskInput[] {
  return Object.entries(JSON.parse(text) as TaskInputs).flatMap(([name, sources]) =>
    sources.map((source) => ({ name, type: source.input_type ?? '', id: 'id' in source ? source.id : undefined })),
  )
}
