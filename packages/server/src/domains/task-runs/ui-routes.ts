import { CountByState, TaskRunCount, UITaskRun, UITaskRunsCountBody, UITaskRunsDashboardCountsBody } from '@millrace/contracts/ui.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { type Route, route } from '../../lib/route.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { IdParams } from '../request-params.ts'
import { readsFor } from '../text-searches.ts'
import { countByState, dashboardCounts, readTaskRunWithFlowRunName } from './dashboard-queries.ts'
import { toTaskRunResponse } from './store.ts'

const tag = 'Task Runs'
const scope = 'task_runs:read'

/** Queries of the dashboard about task runs. */
export function taskRunUiRoutes(context: ServerContext): Route[] {
  const { reads, clock } = context
  return [
    route(
      {
        method: 'POST',
        path: '/ui/task_runs/dashboard/counts',
        tag,
        summary: 'Count finished task runs in twenty time buckets',
        scope,
        kind: 'query',
        body: UITaskRunsDashboardCountsBody,
        responses: { 200: Type.Array(TaskRunCount) },
      },
      ({ body }) => dashboardCounts(readsFor(context, body), body, clock.now()),
    ),
    route(
      {
        method: 'POST',
        path: '/ui/task_runs/count',
        tag,
        summary: 'Count task runs by state type',
        scope,
        kind: 'query',
        body: UITaskRunsCountBody,
        responses: { 200: CountByState },
      },
      ({ body }) => countByState(readsFor(context, body), body),
    ),
    route(
      {
        method: 'GET',
        path: '/ui/task_runs/:id',
        tag,
        summary: 'Read a task run with the name of its flow run',
        scope,
        kind: 'query',
        params: IdParams,
        responses: { 200: UITaskRun },
      },
      async ({ params }) => {
        const row = await readTaskRunWithFlowRunName(reads, params.id)
        if (!row) throw notFound('Task run')
        return { ...toTaskRunResponse(row, clock.now()), flow_run_name: row.flow_run_name }
      },
    ),
  ]
}
