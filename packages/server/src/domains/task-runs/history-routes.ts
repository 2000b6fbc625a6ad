import { HistoryResponse, TaskRunsHistoryBody } from '@millrace/contracts/history.ts'
import Type from 'typebox'
import { type Route, route } from '../../lib/route.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { runHistory } from '../run-history.ts'

export function taskRunHistoryRoutes({ reads, clock }: ServerContext): Route[] {
  return [
    route(
      {
        method: 'POST',
        path: '/task_runs/history',
        tag: 'Task Runs',
        summary: 'Count task runs by interval and state',
        scope: 'task_runs:read',
        body: TaskRunsHistoryBody,
        responses: { 200: Type.Array(HistoryResponse) },
      },
      ({ body }) => runHistory(reads, 'task_run', body, clock.now()),
    ),
  ]
}
