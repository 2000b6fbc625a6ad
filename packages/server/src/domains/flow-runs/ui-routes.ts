import { LatestRunsBody, LatestRunsById } from '@millrace/contracts/latest-runs.ts'
import { CountsById, SimpleFlowRun, UIFlowRunsCountTaskRunsBody, UIFlowRunsHistoryBody } from '@millrace/contracts/ui.ts'
import Type from 'typebox'
import { type Route, route } from '../../lib/route.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { readsFor } from '../text-searches.ts'
import { countTaskRunsByFlowRun, listChartPoints } from './dashboard-queries.ts'
import { readLatestRuns } from './latest-runs.ts'

const tag = 'Flow Runs'
const scope = 'flow_runs:read'

/** Queries of the dashboard about flow runs. */
export function flowRunUiRoutes(context: ServerContext): Route[] {
  const { heavyReads: reads, clock } = context
  return [
    route(
      {
        method: 'POST',
        path: '/ui/flow_runs/history',
        tag,
        summary: 'List flow runs as chart points',
        scope,
        kind: 'query',
        body: UIFlowRunsHistoryBody,
        responses: { 200: Type.Array(SimpleFlowRun) },
      },
      ({ body }) => listChartPoints(readsFor(context, body), body, body, clock.now()),
    ),
    route(
      {
        method: 'POST',
        path: '/ui/flow_runs/count-task-runs',
        tag,
        summary: 'Count the task runs of flow runs',
        scope,
        kind: 'query',
        body: UIFlowRunsCountTaskRunsBody,
        responses: { 200: CountsById },
      },
      ({ body }) => countTaskRunsByFlowRun(reads, body.flow_run_ids),
    ),
    route(
      {
        method: 'POST',
        path: '/ui/flow_runs/latest',
        tag: 'UI',
        summary: 'Read the last runs of flows and deployments, and their next scheduled start',
        description: 'Unknown ids have none.',
        scope,
        kind: 'query',
        body: LatestRunsBody,
        responses: { 200: LatestRunsById },
      },
      ({ body }) => readLatestRuns(reads, body, clock.now()),
    ),
  ]
}
