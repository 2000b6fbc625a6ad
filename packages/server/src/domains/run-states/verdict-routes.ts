import { limit } from '@millrace/contracts/paging.ts'
import type { SetStateStatus, StateType } from '@millrace/contracts/state.ts'
import { Verdict } from '@millrace/contracts/state.ts'
import Type from 'typebox'
import { rawJson } from '../../lib/json.ts'
import { type Route, route, type Scope } from '../../lib/route.ts'
import { formatTime } from '../../lib/time.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import type { Row } from '../../storage/tables.ts'
import { IdParams, pageLimit } from '../request-params.ts'
import { readVerdicts } from './store.ts'

/** The decisions of the rules about a run. The list of an unknown run is empty. */
export function verdictRoutes({ reads, config }: ServerContext): Route[] {
  const verdictRoute = (path: string, tag: string, kind: string, scope: Scope) =>
    route(
      {
        method: 'GET',
        path,
        tag,
        summary: `List orchestration verdicts of a ${kind} run, oldest first (accepts without a reason are not recorded)`,
        scope,
        kind: 'query',
        params: IdParams,
        query: Type.Object({ limit }),
        responses: { 200: Type.Array(Verdict) },
      },
      async ({ params, query }) => {
        const rows = await readVerdicts(reads, params.id, pageLimit(query.limit, config.server.api.default_limit))
        return rows.map(toVerdictResponse)
      },
    )
  return [
    verdictRoute('/flow_runs/:id/verdicts', 'Flow Runs', 'flow', 'flow_runs:read'),
    verdictRoute('/task_runs/:id/verdicts', 'Task Runs', 'task', 'task_runs:read'),
  ]
}

const toVerdictResponse = ({ at, status, facts, from_type, to_type, ...row }: Row<'verdict'>): Verdict => ({
  ...row,
  at: formatTime(at),
  status: status as SetStateStatus,
  facts: rawJson(facts),
  from_type: from_type as StateType | null,
  to_type: to_type as StateType,
})
