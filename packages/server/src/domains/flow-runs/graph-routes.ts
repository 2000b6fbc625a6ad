import { DependencyResult, Graph, GraphSinceQuery } from '@millrace/contracts/graph.ts'
import Type from 'typebox'
import { type Route, route } from '../../lib/route.ts'
import { toMicros } from '../../lib/time.ts'
import type { Parts } from '../../storage/parts.ts'
import { ById } from '../by-id.ts'
import { readDependencies } from './dependencies.ts'
import { readGraph } from './graph.ts'

const tag = 'Flow Run Graph'
const scope = 'flow_runs:read'

export function flowRunGraphRoutes(parts: Parts): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/flow_runs/:id/graph',
        tag,
        summary: 'Read which task runs of a flow run depend on which',
        scope,
        refusesBadIds: true,
        params: ById,
        answers: { 200: Type.Array(DependencyResult) },
      },
      ({ params }) => readDependencies(parts.reads, params.id, parts.clock.now()),
    ),
    route(
      {
        method: 'GET',
        path: '/flow_runs/:id/graph-v2',
        tag,
        summary: 'Read the graph of the tasks and subflows of a flow run',
        scope,
        params: ById,
        query: GraphSinceQuery,
        answers: { 200: Graph },
      },
      ({ params, query }) => readGraph(parts, params.id, toMicros(query.since)),
    ),
  ]
}
