import { FlowRunsLateness, FlowRunsLatenessBody } from '@millrace/contracts/flow-run.ts'
import { FlowRunsHistoryBody, HistoryResponse } from '@millrace/contracts/history.ts'
import Type from 'typebox'
import { type Route, route } from '../../lib/route.ts'
import type { Parts } from '../../storage/parts.ts'
import { runHistory } from '../run-history.ts'
import { averageLateness } from './lateness.ts'

const tag = 'Flow Runs'
const scope = 'flow_runs:read'

export function flowRunHistoryRoutes({ reads, clock }: Parts): Route[] {
  return [
    route(
      {
        method: 'POST',
        path: '/flow_runs/history',
        tag,
        summary: 'Count flow runs by interval and state',
        scope,
        body: FlowRunsHistoryBody,
        answers: { 200: Type.Array(HistoryResponse) },
      },
      ({ body }) => runHistory(reads, 'flow_run', body, clock.now()),
    ),
    route(
      {
        method: 'POST',
        path: '/flow_runs/lateness',
        tag,
        summary: 'How late flow runs are on average, in seconds',
        scope,
        body: FlowRunsLatenessBody,
        answers: { 200: FlowRunsLateness },
      },
      ({ body }) => averageLateness(reads, body, clock.now()),
    ),
  ]
}
