import { HistoryResponse, TaskRunsHistoryBody } from '@millrace/contracts/history.ts'
import Type from 'typebox'
import { type Route, route } from '../../lib/route.ts'
import type { Parts } from '../../storage/parts.ts'
import { runHistory } from '../run-history.ts'

export function taskRunHistoryRoutes({ reads, clock }: Parts): Route[] {
  return [
    route(
      {
        method: 'POST',
        path: '/task_runs/history',
        tag: 'Task Runs',
        summary: 'Count task runs by interval and state',
        scope: 'task_runs:read',
        body: TaskRunsHistoryBody,
        answers: { 200: Type.Array(HistoryResponse) },
      },
      ({ body }) => runHistory(reads, 'task_run', body, clock.now()),
    ),
  ]
}
