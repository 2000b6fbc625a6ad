import { CountsById, NextRunsByFlow, UIFlowsCountDeploymentsBody, UIFlowsNextRunsBody } from '@millrace/contracts/ui.ts'
import { type Route, route } from '../../lib/route.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { countDeploymentsByFlow, readNextRuns } from './dashboard-queries.ts'

const tag = 'Flows'
const scope = 'flows:read'

/** Queries of the dashboard about flows. */
export function flowUiRoutes({ heavyReads: reads }: ServerContext): Route[] {
  return [
    route(
      {
        method: 'POST',
        path: '/ui/flows/count-deployments',
        tag,
        summary: 'Count the deployments of flows',
        scope,
        kind: 'query',
        body: UIFlowsCountDeploymentsBody,
        responses: { 200: CountsById },
      },
      ({ body }) => countDeploymentsByFlow(reads, body.flow_ids),
    ),
    route(
      {
        method: 'POST',
        path: '/ui/flows/next-runs',
        tag,
        summary: 'Read the next scheduled run of flows',
        scope,
        kind: 'query',
        body: UIFlowsNextRunsBody,
        responses: { 200: NextRunsByFlow },
      },
      ({ body }) => readNextRuns(reads, body.flow_ids),
    ),
  ]
}
