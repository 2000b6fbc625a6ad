import { LatestRunsBody, LatestRunsById } from '@millrace/contracts/latest-runs.ts'
import { type Route, route } from '../../lib/route.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { readLatestRuns } from './latest-runs.ts'

export function latestRunRoutes({ reads, clock }: ServerContext): Route[] {
  return [
    route(
      {
        method: 'POST',
        path: '/ui/flow_runs/latest',
        tag: 'UI',
        summary: 'Read the last runs of flows and deployments, and when the next ones are',
        scope: 'flow_runs:read',
        body: LatestRunsBody,
        responses: { 200: LatestRunsById },
      },
      ({ body }) => readLatestRuns(reads, body, clock.now()),
    ),
  ]
}
