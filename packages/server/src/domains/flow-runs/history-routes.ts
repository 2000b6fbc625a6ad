import { FlowRunsLateness, FlowRunsLatenessBody } from '@millrace/contracts/flow-run.ts'
import { FlowRunsHistoryBody, HistoryResponse } from '@millrace/contracts/history.ts'
import Type from 'typebox'
import { type Route, route } from '../../lib/route.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { averageLateness, runHistory } from '../run-history.ts'

const tag = 'Flow Runs'
const scope = 'flow_runs:read'

export function flowRunHistoryRoutes({ longReads: reads, clock }: ServerContext): Route[] {
  return [
    route(
      {
        method: 'POST',
        path: '/flow_runs/history',
        tag,
        summary: 'Count flow runs by interval and state',
        scope,
        kind: 'query',
        body: FlowRunsHistoryBody,
        responses: { 200: Type.Array(HistoryResponse) },
      },
      ({ body }) => runHistory(reads, 'flow_run', body, clock.now()),
    ),
    route(
      {
        method: 'POST',
        path: '/flow_runs/lateness',
        tag,
        summary: 'Read the average lateness of flow runs in seconds',
        scope,
        kind: 'query',
        body: FlowRunsLatenessBody,
        responses: { 200: FlowRunsLateness },
      },
      ({ body }) => averageLateness(reads, body, clock.now()),
    ),
  ]
}
