import { Log, LogsCreateBody, LogsFilterBody } from '@millrace/contracts/log.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { Download, type Route, route } from '../../lib/route.ts'
import { actAs, type ServerContext } from '../../storage/server-context.ts'
import { readFlowRun } from '../flow-runs/store.ts'
import { IdParams, pageLimit } from '../request-params.ts'
import { readsFor } from '../text-searches.ts'
import { createLogs } from './create-logs.ts'
import { listLogs, logsAsCsv, toLogResponse } from './store.ts'

export function logRoutes(context: ServerContext): Route[] {
  const { reads, heavyReads, config } = context
  return [
    route(
      {
        method: 'POST',
        path: '/logs/',
        tag: 'Logs',
        summary: 'Create logs, all or none',
        description: 'Logs may refer to runs that do not exist yet. Characters that PostgreSQL cannot store are removed.',
        scope: 'logs:write',
        kind: 'change',
        body: LogsCreateBody,
        responses: { 201: Type.Null() },
      },
      ({ body, actor }) => createLogs(actAs(context, actor), body),
    ),
    route(
      {
        method: 'POST',
        path: '/logs/filter',
        tag: 'Logs',
        summary: 'List logs',
        scope: 'logs:read',
        kind: 'query',
        body: LogsFilterBody,
        responses: { 200: Type.Array(Log) },
      },
      async ({ body }) => {
        const limit = pageLimit(body.limit, config.server.api.default_limit)
        return (await listLogs(readsFor(context, body.logs), body.logs, { sort: body.sort, limit, offset: body.offset })).map(toLogResponse)
      },
    ),
    route(
      {
        method: 'GET',
        path: '/flow_runs/:id/logs/download',
        tag: 'Flow Runs',
        summary: 'Download all logs of a flow run as CSV',
        scope: 'logs:read',
        kind: 'query',
        params: IdParams,
        responses: { 200: Type.String() },
      },
      async ({ params }) => {
        const run = await readFlowRun(reads, params.id)
        if (!run) throw notFound('Flow run')
        return new Download('text/csv; charset=utf-8', logsAsCsv(heavyReads, params.id), `${run.name}-logs.csv`)
      },
    ),
  ]
}
