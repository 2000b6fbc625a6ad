import { FlowRunResumeBody } from '@millrace/contracts/flow-run.ts'
import { FlowRunInput, FlowRunInputCreateBody, FlowRunInputFilterBody } from '@millrace/contracts/flow-run-input.ts'
import { Text, Uuid } from '@millrace/contracts/primitives.ts'
import { OrchestrationResult } from '@millrace/contracts/state.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { Download, type Route, RouteResponse, route } from '../../lib/route.ts'
import { actAs, type ServerContext } from '../../storage/server-context.ts'
import { IdParams } from '../request-params.ts'
import { addInput, listInputs, readInput, removeInput, toInputResponse } from './inputs.ts'
import { resumeFlowRun } from './resume.ts'

const tag = 'Flow Runs'
const read = 'flow_runs:read'
const write = 'flow_runs:write'
const ByKey = Type.Object({ id: Uuid, key: Text })

/** Inputs that are sent to a flow run while it runs, and resuming a paused run. */
export function flowRunInputRoutes(context: ServerContext): Route[] {
  const { writeQueue, reads } = context
  return [
    route(
      {
        method: 'POST',
        path: '/flow_runs/:id/resume',
        tag,
        summary: 'Resume a paused flow run',
        description: 'If the pause waits for input, `run_input` is checked against its schema; invalid input is a `REJECT`.',
        scope: write,
        kind: 'change',
        params: IdParams,
        body: FlowRunResumeBody,
        responses: { 201: OrchestrationResult, 200: OrchestrationResult },
      },
      async ({ params, body, actor }) => {
        const { written, result } = await resumeFlowRun(actAs(context, actor), params.id, body.run_input)
        return new RouteResponse(written ? 201 : 200, result)
      },
    ),
    route(
      {
        method: 'POST',
        path: '/flow_runs/:id/input',
        tag,
        summary: 'Send an input to a flow run',
        description: 'A key can be used once per run.',
        scope: write,
        kind: 'change',
        params: IdParams,
        body: FlowRunInputCreateBody,
        responses: { 201: Type.Null() },
      },
      ({ params, body, actor }) =>
        writeQueue.as(actor).submit(addInput(context, params.id, { key: body.key, value: body.value, sender: body.sender })),
    ),
    route(
      {
        method: 'POST',
        path: '/flow_runs/:id/input/filter',
        tag,
        summary: 'List inputs of a flow run by key prefix',
        description: 'Sorted by age, oldest first.',
        scope: read,
        kind: 'query',
        params: IdParams,
        body: FlowRunInputFilterBody,
        responses: { 200: Type.Array(FlowRunInput) },
      },
      async ({ params, body }) => (await listInputs(reads, params.id, body)).map(toInputResponse),
    ),
    route(
      {
        method: 'GET',
        path: '/flow_runs/:id/input/:key',
        tag,
        summary: 'Read the value of an input',
        scope: read,
        kind: 'query',
        params: ByKey,
        responses: { 200: Type.String() },
      },
      async ({ params }) => {
        const row = await readInput(reads, params.id, params.key)
        if (!row) throw notFound('Flow run input')
        return new Download('text/plain; charset=utf-8', row.value)
      },
    ),
    route(
      {
        method: 'DELETE',
        path: '/flow_runs/:id/input/:key',
        tag,
        summary: 'Delete an input',
        scope: write,
        kind: 'change',
        params: ByKey,
        responses: { 204: null },
      },
      ({ params, actor }) =>
        writeQueue.as(actor).submit(async (tx) => {
          if (!(await removeInput(tx, params.id, params.key))) throw notFound('Flow run input')
        }),
    ),
  ]
}
