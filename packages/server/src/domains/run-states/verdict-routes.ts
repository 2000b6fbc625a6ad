import { limit } from '@millrace/contracts/paging.ts'
import { Verdict } from '@millrace/contracts/verdict.ts'
import Type from 'typebox'
import { type Route, route, type Scope } from '../../lib/route.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { IdParams } from '../by-id.ts'
import { pageLimit } from '../request-params.ts'
import { toVerdictResponse } from '../state-proposals.ts'
import { readVerdicts } from './store.ts'

/** Why a run is where it is. Of a run that is not there the list is empty, as it is with states. */
export function verdictRoutes({ reads, config }: ServerContext): Route[] {
  const of = (path: string, tag: string, kind: string, scope: Scope) =>
    route(
      {
        method: 'GET',
        path,
        tag,
        summary: `List what the rules said of the states proposed for a ${kind} run, oldest first; a plain accept leaves no word`,
        scope,
        params: IdParams,
        query: Type.Object({ limit }),
        responses: { 200: Type.Array(Verdict) },
      },
      async ({ params, query }) => {
        const rows = await readVerdicts(reads, params.id, pageLimit(query.limit, config.server.api.default_limit))
        return rows.map(toVerdictResponse)
      },
    )
  return [of('/flow_runs/:id/verdicts', 'Flow Runs', 'flow', 'flow_runs:read'), of('/task_runs/:id/verdicts', 'Task Runs', 'task', 'task_runs:read')]
}
