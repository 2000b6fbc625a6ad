import { CountsById, SimpleFlowRun, UIFlowRunsCountTaskRunsBody, UIFlowRunsHistoryBody } from '@millrace/contracts/ui.ts'
import Type from 'typebox'
import { type Route, route } from '../../lib/route.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { countTaskRunsByFlowRun, listChartPoints } from './dashboard-queries.ts'

const tag = 'Flow Runs'
const scope = 'flow_runs:read'

/** What a dashboard asks of flow runs. */
export function flowRunUiRoutes({ reads, clock }: ServerContext): Route[] {
  return [
    route(
      {
        method: 'POST',
        path: '/ui/flow_runs/history',
        tag,
        summary: 'List flow runs as points of a chart',
        scope,
        body: UIFlowRunsHistoryBody,
        responses: { 200: Type.Array(SimpleFlowRun) },
      },
      ({ body }) => listChartPoints(reads, body, body, clock.now()),
    ),
    route(
      {
        method: 'POST',
        path: '/ui/flow_runs/count-task-runs',
        tag,
        summary: 'Count the task runs of flow runs',
        scope,
        body: UIFlowRunsCountTaskRunsBody,
        responses: { 200: CountsById },
      },
      ({ body }) => countTaskRunsByFlowRun(reads, body.flow_run_ids),
    ),
  ]
}
