import { badRequest, notFound } from '../../errors.ts'
import { flatText, plainText, quotedText, storedJson, timeText } from '../../lib/json-fields.ts'
import type { Micros } from '../../lib/time.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { flowRunStates } from '../run-states/store.ts'
import { type GraphArtifactRow, type GraphTaskRow, parseTaskInputs, readGraphArtifacts, readGraphTasks } from './graph-store.ts'
import { readFlowRun } from './store.ts'

/**
 * The graph of task runs and subflows of a run, as the JSON text of a `Graph`. With `since`, only nodes that did not end before it. The text is
 * built directly, without an object for each node and edge.
 */
export async function readGraph({ heavyReads: reads, config }: ServerContext, flowRunId: string, since: Micros): Promise<string> {
  const run = await readFlowRun(reads, flowRunId)
  if (!run) throw notFound('Flow run')
  const { graph_maximum_nodes: nodesMax, graph_maximum_artifacts: artifactsMax } = config.flow_runs
  const [tasks, artifactRows, states] = await Promise.all([
    readGraphTasks(reads, flowRunId),
    readGraphArtifacts(reads, flowRunId, artifactsMax),
    flowRunStates.list(reads, flowRunId),
  ])
  const nodes = buildNodes(tasks).filter(({ end }) => end === null || end >= since)
  if (nodes.length > nodesMax) throw badRequest(`The graph of flow run ${flowRunId} has more than ${nodesMax} nodes`)

  const artifacts = Map.groupBy(artifactRows, ({ task_run_id }) => task_run_id)
  const artifactsOf = (taskRunId: string | null): string => listText(artifacts.get(taskRunId), artifactText)
  const roots = nodes.filter(({ parents }) => parents === undefined)
  return flatText`{"start_time":${timeText(run.start_time ?? run.expected_start_time)},"end_time":${timeText(run.end_time)},"root_node_ids":${listText(roots, ({ id }) => `"${id}"`)},"nodes":${listText(nodes, (node) => nodeText(node, artifactsOf(node.id)))},"artifacts":${artifactsOf(null)},"states":${listText(states, ({ id, timestamp, type, name }) => `{"id":"${id}","timestamp":${timeText(timestamp)},"type":"${type}","name":${quotedText(name)}}`)}}`
}

interface GraphNode {
  readonly kind: 'flow-run' | 'task-run'
  readonly id: string
  readonly label: string
  readonly state_type: string
  readonly start: Micros
  readonly end: Micros | null
  /** The inputs of the task run as JSON text. */
  readonly inputs: string
  /** The node as an edge of other nodes. */
  readonly edge: string
  /** Undefined without edges. */
  parents: Set<GraphNode> | undefined
  /** Sorted by start. */
  children: GraphNode[] | undefined
  encapsulating: Set<GraphNode> | undefined
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
      if (name === '__parents__') {
        node.encapsulating ??= new Set()
        node.encapsulating.add(parent)
      } else {
        node.parents ??= new Set()
        node.parents.add(parent)
      }
    }
    for (const parent of node.parents ?? []) {
      parent.children ??= []
      parent.children.push(node)
    }
  }
  return nodes
}

/** A subflow replaces its task run. A run without any time is not part of the graph. */
function toGraphNode(task: GraphTaskRow): GraphNode | undefined {
  const start = task.subflow_start_time ?? task.subflow_expected_start_time ?? task.start_time ?? task.expected_start_time
  if (start === null) return undefined
  const instant = task.state_type === 'COMPLETED' ? task.expected_start_time : null
  const id = task.subflow_id ?? task.id
  return {
    kind: task.subflow_id === null ? 'task-run' : 'flow-run',
    id,
    label: task.subflow_id === null ? task.name : `${task.subflow_flow_name} / ${task.subflow_name}`,
    state_type: task.subflow_state_type ?? task.state_type,
    start,
    end: task.subflow_end_time ?? task.end_time ?? instant,
    inputs: task.task_inputs,
    edge: `{"id":"${id}"}`,
    parents: undefined,
    children: undefined,
    encapsulating: undefined,
  }
}

const byStart = (a: GraphNode, b: GraphNode): number => a.start - b.start || (a.end ?? 0) - (b.end ?? 0) || (a.id < b.id ? -1 : 1)

const nodeText = (node: GraphNode, artifacts: string): string =>
  `["${node.id}",{"kind":"${node.kind}","id":"${node.id}","label":${quotedText(node.label)},"state_type":${plainText(node.state_type)},"start_time":${timeText(node.start)},"end_time":${timeText(node.end)},"parents":${sortedEdges(node.parents)},"children":${listText(node.children, edgeOf)},"encapsulating":${sortedEdges(node.encapsulating)},"artifacts":${artifacts}}]`

const sortedEdges = (nodes: Set<GraphNode> | undefined): string => (nodes === undefined ? '[]' : listText([...nodes].sort(byStart), edgeOf))

const edgeOf = ({ edge }: GraphNode): string => edge

const artifactText = (row: GraphArtifactRow): string =>
  `{"id":"${row.id}","created":${timeText(row.created)},"key":${quotedText(row.key)},"type":${quotedText(row.type)},"is_latest":${row.key === null || row.latest_id === row.id},"data":${storedJson(row.data)}}`

const listText = <T>(items: readonly T[] | undefined, toText: (item: T) => string): string =>
  items === undefined || items.length === 0 ? '[]' : `[${items.map(toText).join(',')}]`
