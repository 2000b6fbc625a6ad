import { DependencyResult, Graph, GraphSinceQuery } from '@millrace/contracts/graph.ts'
import Type from 'typebox'
import { rawJson } from '../../lib/json.ts'
import { type Route, route } from '../../lib/route.ts'
import { toMicros } from '../../lib/time.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { IdParams } from '../request-params.ts'
import { graphTexts } from './graph-texts.ts'

const tag = 'Flow Run Graph'
const scope = 'flow_runs:read'

export function flowRunGraphRoutes(context: ServerContext): Route[] {
  const texts = graphTexts(context)
  return [
    route(
      {
        method: 'GET',
        path: '/flow_runs/:id/graph',
        tag,
        summary: 'Read the dependencies between the task runs of a flow run',
        scope,
        kind: 'query',
        rejectsInvalidIds: true,
        params: IdParams,
        responses: { 200: Type.Array(DependencyResult) },
      },
      async ({ params }) => rawJson(await texts.readDependencies(params.id)),
    ),
    route(
      {
        method: 'GET',
        path: '/flow_runs/:id/graph-v2',
        tag,
        summary: 'Read the graph of task runs and subflows of a flow run',
        scope,
        kind: 'query',
        params: IdParams,
        query: GraphSinceQuery,
        responses: { 200: Graph },
      },
      async ({ params, query }) => rawJson(await texts.readGraph(params.id, toMicros(query.since))),
    ),
  ]
}
