import { ObservedState, ObservedStatesQuery } from '@millrace/contracts/observed-state.ts'
import { Uuid } from '@millrace/contracts/primitives.ts'
import { State } from '@millrace/contracts/state.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { type Route, route } from '../../lib/route.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { IdParams } from '../request-params.ts'
import { listObservedStates } from './observed-states.ts'
import { stateRowToResponse } from './state-responses.ts'
import { flowRunStates, taskRunStates } from './store.ts'

/** The state history of runs. The list of an unknown run is empty. */
export function runStateRoutes(context: ServerContext): Route[] {
  const { reads } = context
  return [
    route(
      {
        method: 'GET',
        path: '/observed-states',
        tag: 'Observed States',
        summary: 'List the types and names of the states that runs had',
        description:
          'Searches by the beginning of a name or type, in any case. The times are those of the transitions that are kept, so deleting runs changes them. Reads the whole history: it takes seconds in a large database.',
        scope: 'flow_runs:read',
        kind: 'query',
        query: ObservedStatesQuery,
        responses: { 200: Type.Array(ObservedState) },
      },
      ({ query }) => listObservedStates(context, { query: query.query, sort: query.order_by, limit: query.limit }),
    ),
    route(
      {
        method: 'GET',
        path: '/flow_run_states/',
        tag: 'Flow Run States',
        summary: 'List the states of a flow run, oldest first',
        description: 'The list of an unknown run is empty.',
        scope: 'flow_runs:read',
        kind: 'query',
        query: Type.Object({ flow_run_id: Uuid }),
        responses: { 200: Type.Array(State) },
      },
      async ({ query }) => (await flowRunStates.list(reads, query.flow_run_id)).map(stateRowToResponse),
    ),
    route(
      {
        method: 'GET',
        path: '/flow_run_states/:id',
        tag: 'Flow Run States',
        summary: 'Read a state of a flow run',
        scope: 'flow_runs:read',
        kind: 'query',
        params: IdParams,
        responses: { 200: State },
      },
      async ({ params }) => {
        const row = await flowRunStates.read(reads, params.id)
        if (!row) throw notFound('Flow run state')
        return stateRowToResponse(row)
      },
    ),
    route(
      {
        method: 'GET',
        path: '/task_run_states/',
        tag: 'Task Run States',
        summary: 'List the states of a task run, oldest first',
        description: 'The list of an unknown run is empty.',
        scope: 'task_runs:read',
        kind: 'query',
        query: Type.Object({ task_run_id: Uuid }),
        responses: { 200: Type.Array(State) },
      },
      async ({ query }) => (await taskRunStates.list(reads, query.task_run_id)).map(stateRowToResponse),
    ),
    route(
      {
        method: 'GET',
        path: '/task_run_states/:id',
        tag: 'Task Run States',
        summary: 'Read a state of a task run',
        scope: 'task_runs:read',
        kind: 'query',
        params: IdParams,
        responses: { 200: State },
      },
      async ({ params }) => {
        const row = await taskRunStates.read(reads, params.id)
        if (!row) throw notFound('Task run state')
        return stateRowToResponse(row)
      },
    ),
  ]
}
