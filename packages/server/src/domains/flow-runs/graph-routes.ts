import { DependencyResult, Graph, GraphSinceQuery } from '@millrace/contracts/graph.ts'
import Type from 'typebox'
import { type Route, route } from '../../lib/route.ts'
import { toMicros } from '../../lib/time.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { IdParams } from '../request-params.ts'
import { readDependencies, readGraph } from './graph.ts'

const tag = 'Flow Run Graph'
const scope = 'flow_runs:read'

export function flowRunGraphRoutes(context: ServerContext): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/flow_runs/:id/graph',
        tag,
        summary: 'Read the dependencies between the task runs of a flow run',
        scope,
        rejectsInvalidIds: true,
        params: IdParams,
        responses: { 200: Type.Array(DependencyResult) },
      },
      ({ params }) => readDependencies(context.heavyReads, params.id, context.clock.now()),
    ),
    route(
      {
        method: 'GET',
        path: '/flow_runs/:id/graph-v2',
        tag,
        summary: 'Read the graph of task runs and subflows of a flow run',
        scope,
        params: IdParams,
        query: GraphSinceQuery,
        responses: { 200: Graph },
      },
      ({ params, query }) => readGraph(context, params.id, toMicros(query.since)),
    ),
  ]
}
