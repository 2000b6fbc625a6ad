import { CountByState, TaskRunCount, UITaskRun, UITaskRunsCountBody, UITaskRunsDashboardCountsBody } from '@millrace/contracts/ui.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { type Route, route } from '../../lib/route.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { IdParams } from '../request-params.ts'
import { countByState, dashboardCounts, readTaskRunWithFlowRunName } from './dashboard-queries.ts'
import { toTaskRunResponse } from './store.ts'

const tag = 'Task Runs'
const scope = 'task_runs:read'

/** Queries of the dashboard about task runs. */
export function taskRunUiRoutes({ reads, heavyReads, clock }: ServerContext): Route[] {
  return [
    route(
      {
        method: 'POST',
        path: '/ui/task_runs/dashboard/counts',
        tag,
        summary: 'Count finished task runs in twenty time buckets',
        scope,
        body: UITaskRunsDashboardCountsBody,
        responses: { 200: Type.Array(TaskRunCount) },
      },
      ({ body }) => dashboardCounts(heavyReads, body, clock.now()),
    ),
    route(
      {
        method: 'POST',
        path: '/ui/task_runs/count',
        tag,
        summary: 'Count task runs by state type',
        scope,
        body: UITaskRunsCountBody,
        responses: { 200: CountByState },
      },
      ({ body }) => countByState(heavyReads, body),
    ),
    route(
      {
        method: 'GET',
        path: '/ui/task_runs/:id',
        tag,
        summary: 'Read a task run with the name of its flow run',
        scope,
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
