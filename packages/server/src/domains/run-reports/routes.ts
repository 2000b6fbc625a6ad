import { RunsReportBody, RunsReportResponse } from '@millrace/contracts/run-report.ts'
import { type Route, route } from '../../lib/route.ts'
import { actAs, type ServerContext } from '../../storage/server-context.ts'
import { reportRecords } from './report-records.ts'

export const runReportRoutes = (context: ServerContext): Route[] => [
  route(
    {
      method: 'POST',
      path: '/runs/report',
      tag: 'Runs',
      summary: 'Report what happened in runs',
      description:
        'Takes numbered records of many flow runs: task runs, their states, logs, and states of the flow runs. The records of a run are applied in their order, in one transaction, and each has its own answer. A record of an attempt that is not the current one is refused (`OUTDATED_ATTEMPT`). A request that is sent again has no second effect. The same records can be sent over the WebSocket `/runs/report`.',
      scope: 'runs:write',
      kind: 'change',
      body: RunsReportBody,
      responses: { 200: RunsReportResponse },
    },
    async ({ body, actor }) => ({ answers: await reportRecords(actAs(context, actor), body.records) }),
  ),
]
