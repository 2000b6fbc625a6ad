import { HttpConnection } from '../http-connection.ts'
import { patient } from '../seed.ts'
import { type BenchContext, check, checkSampled, stateOf, type Workload } from '../workload.ts'
import { createFlowRun, setState } from './runs.ts'

const layerSize = 50

/** The graph of a run with 1,000 task runs and 1,900 edges. */
export function graphWorkloads(context: BenchContext): Workload[] {
  let runId: string | undefined
  const taskCount = layerSize * context.sizes.graphLayers
  // Each task depends on two of the layer above.
  const edgeCount = 2 * (taskCount - layerSize)
  const prepare = async () => {
    runId ??= await createGraph(context)
  }
  return [
    {
      name: 'graph.v2',
      unit: 'graphs',
      isRead: true,
      prepare,
      operation: (user) =>
        checkSampled(user, 'GET', `/flow_runs/${runId}/graph-v2`, undefined, 'root_node_ids', (graph: GraphAnswer) => {
          check(graph.nodes.length === taskCount && graph.root_node_ids.length === layerSize, `${graph.nodes.length} nodes`)
          const edges = graph.nodes.reduce((sum, [, { parents }]) => sum + parents.length, 0)
          check(edges === edgeCount, `${edges} edges instead of ${edgeCount}`)
        }),
    },
    {
      name: 'graph.v1',
      unit: 'graphs',
      isRead: true,
      prepare,
      operation: (user) =>
        checkSampled(user, 'GET', `/flow_runs/${runId}/graph`, undefined, 'upstream_dependencies', (graph: unknown[]) =>
          check(graph.length === taskCount, `${graph.length} task runs`),
        ),
    },
  ]
}

interface GraphAnswer {
  readonly root_node_ids: readonly string[]
  readonly nodes: readonly (readonly [string, { readonly parents: readonly unknown[] }])[]
}

async function createGraph(context: BenchContext): Promise<string> {
  const runId = await createFlowRun(context, context.setup, 'graph')
  await setState(context.setup, 'flow_runs', runId, 'RUNNING')
  const ids: string[] = []
  const taskCount = layerSize * context.sizes.graphLayers
  const connections = Array.from({ length: 4 }, () => new HttpConnection(context.urls[0] as string, { ...context.connection, ...patient }))
  for (let first = 0; first < taskCount; first += layerSize) {
    let next = first
    const createTasks = async (http: HttpConnection) => {
      while (next < first + layerSize) {
        const i = next
        next += 1
        const parents = first === 0 ? [] : [ids[i - layerSize], ids[first - layerSize + ((i + 1) % layerSize)]]
        const task = await http.post('/task_runs/', {
          flow_run_id: runId,
          task_key: 'bench.graph',
          dynamic_key: String(i),
          name: `graph-${i}`,
          state: stateOf('COMPLETED'),
          task_inputs: { x: parents.map((id) => ({ input_type: 'task_run', id })) },
        })
        ids[i] = task.id
      }
    }
    await Promise.all(connections.map(createTasks))
  }
  for (const http of connections) http.close()
  return runId
}

const bulkSize = 50

/** 50 pending runs cancelled with one request. The last workload: the reference looks again at each cancelled run of the last day. */
export function bulkWorkload(context: BenchContext): Workload {
  const groups: string[][] = []
  const { bulkRequests } = context.sizes
  return {
    name: 'bulk.cancel',
    unit: 'runs',
    operationsMax: bulkRequests,
    usersMax: 4,
    async prepare() {
      for (let group = groups.length; group < bulkRequests; group += 1) {
        const ids: string[] = []
        for (let i = 0; i < bulkSize; i += 1) ids.push(await createFlowRun(context, context.setup, `bulk-${group}-${i}`))
        groups.push(ids)
      }
    },
    async operation({ http }) {
      const ids = groups.pop()
      const answer: { results: { status: string }[] } = await http.post('/flow_runs/bulk_set_state', {
        flow_runs: { id: { any_: ids } },
        state: stateOf('CANCELLED'),
        force: false,
      })
      const accepted = answer.results.filter(({ status }) => status === 'ACCEPT').length
      check(accepted === bulkSize && answer.results.length === bulkSize, `${accepted} of ${answer.results.length} accepted`)
      return bulkSize
    },
  }
}
