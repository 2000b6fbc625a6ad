import type { Graph, GraphArtifact, Node } from '@millrace/contracts/graph.ts'
import type { StateType } from '@millrace/contracts/state.ts'
import { badRequest, notFound } from '../../errors.ts'
import { rawJson } from '../../lib/json.ts'
import { formatNullableTime, formatTime, type Micros } from '../../lib/time.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { flowRunStates } from '../run-states/store.ts'
import { type GraphArtifactRow, type GraphTaskRow, readGraphArtifacts, readGraphTasks } from './graph-store.ts'
import { readFlowRun } from './store.ts'
import { parseTaskInputs } from './task-inputs.ts'

/** The tasks and subflows of a run and how they hang together. With `since` only those that may have changed after it. */
export async function readGraph({ reads, config }: ServerContext, flowRunId: string, since: Micros): Promise<Graph> {
  const run = await readFlowRun(reads, flowRunId)
  if (!run) throw notFound('Flow run')
  const { graph_maximum_nodes: nodesMax, graph_maximum_artifacts: artifactsMax } = config.flow_runs
  const drawn = buildNodes(await readGraphTasks(reads, flowRunId)).filter(({ end }) => end === null || end >= since)
  if (drawn.length > nodesMax) throw badRequest(`The graph of flow run ${flowRunId} has more than ${nodesMax} nodes`)

  const shown = Map.groupBy(await readGraphArtifacts(reads, flowRunId, artifactsMax), ({ task_run_id }) => task_run_id)
  const artifactsOf = (taskRunId: string | null): GraphArtifact[] => shown.get(taskRunId)?.map(toArtifactResponse) ?? []
  return {
    start_time: formatNullableTime(run.start_time ?? run.expected_start_time),
    end_time: formatNullableTime(run.end_time),
    root_node_ids: drawn.filter(({ parents }) => parents.size === 0).map(({ id }) => id),
    nodes: drawn.map((node) => [node.id, toNodeResponse(node, artifactsOf(node.id))]),
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
  /** JSON text of what its task run takes in. */
  readonly inputs: string
  readonly parents: Set<GraphNode>
  readonly children: Set<GraphNode>
  readonly encapsulating: Set<GraphNode>
}

/** Nodes in the order of their starts, with their edges, each edge once. An edge to something outside of this graph is none. */
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

/** A subflow takes the place of the task run that stands for it. What has no time yet cannot be placed. */
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
