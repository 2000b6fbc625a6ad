import {
  FlowRunBulkDeleteResponse,
  FlowRunBulkSetStateResponse,
  FlowRunCreate,
  FlowRunLabelsBody,
  FlowRunPaginationResponse,
  FlowRunResponse,
  FlowRunsBulkDeleteBody,
  FlowRunsBulkSetStateBody,
  FlowRunsCountBody,
  FlowRunsFilterBody,
  FlowRunsPaginateBody,
  FlowRunUpdate,
} from '@millrace/contracts/flow-run.ts'
import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import { Count } from '@millrace/contracts/paging.ts'
import { OrchestrationResult, SetStateBody } from '@millrace/contracts/state.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { type Route, RouteResponse, route } from '../../lib/route.ts'
import { changeRun } from '../../runs/batch.ts'
import { readerById } from '../../storage/reader-by-id.ts'
import { actAs, type ServerContext } from '../../storage/server-context.ts'
import { assertParameterSize } from '../deployments/check-parameters.ts'
import { IdParams, pageLimit, pageOffset, toPage } from '../request-params.ts'
import { toReceivedState } from '../run-states/received-state.ts'
import { findBeforeWrite } from '../text-searches.ts'
import { countFlowRuns } from './count-runs.ts'
import { removeFlowRuns } from './delete-runs.ts'
import { toFlowRunDraft } from './draft.ts'
import { bulkSetState, LeaseModeHeaders, ProposalHeaders, parseLeaseMode } from './proposals.ts'
import { runPages } from './run-pages.ts'
import { flowRunAnswer } from './run-text.ts'
import { listFlowRunIds, readFlowRun, readFlowRuns } from './store.ts'
import { updateRun } from './update-run.ts'

const tag = 'Flow Runs'
const read = 'flow_runs:read'
const write = 'flow_runs:write'

export function flowRunRoutes(context: ServerContext): Route[] {
  const { writeQueue, reads, heavyReads, longReads, clock, config } = context
  const limitMax = config.server.api.default_limit
  const pages = runPages(context)
  const readRun = readerById(context, readFlowRun, readFlowRuns)
  const findRuns = async ({ flow_runs, limit }: { flow_runs: FlowRunFilter | null; limit: number }) =>
    flow_runs && findBeforeWrite(context, flow_runs, (db) => listFlowRunIds(db, { flow_runs }, limit))

  return [
    route(
      {
        method: 'POST',
        path: '/flow_runs/',
        tag,
        summary: 'Create a flow run',
        description:
          'Creates the run with its first state, `Pending` unless `state` is given. If the flow has a run with this `idempotency_key`, that run is returned with 200.',
        scope: write,
        kind: 'change',
        body: FlowRunCreate,
        responses: { 201: FlowRunResponse, 200: FlowRunResponse },
      },
      async ({ body, actor }) => {
        assertParameterSize(context, body.parameters, ['body', 'parameters'])
        const { isNew, row } = await changeRun(context, { kind: 'create_flow_run', actor, draft: await toFlowRunDraft(reads, body) })
        return new RouteResponse(isNew ? 201 : 200, flowRunAnswer(row, clock.now()))
      },
    ),
    route(
      {
        method: 'GET',
        path: '/flow_runs/:id',
        tag,
        summary: 'Read a flow run',
        scope: read,
        kind: 'query',
        params: IdParams,
        responses: { 200: FlowRunResponse },
      },
      async ({ params }) => {
        const row = await readRun(params.id)
        if (!row) throw notFound('Flow run')
        return flowRunAnswer(row, clock.now())
      },
    ),
    route(
      {
        method: 'PATCH',
        path: '/flow_runs/:id',
        tag,
        summary: 'Update a flow run',
        description:
          'Changes the given fields only. An empty or null name becomes a random one. Job variables can change only while a run of a deployment is scheduled.',
        scope: write,
        kind: 'change',
        params: IdParams,
        body: FlowRunUpdate,
        responses: { 204: null },
      },
      async ({ params, body, actor }) => {
        assertParameterSize(context, body.parameters, ['body', 'parameters'])
        await updateRun(actAs(context, actor), params.id, body)
      },
    ),
    route(
      {
        method: 'PATCH',
        path: '/flow_runs/:id/labels',
        tag,
        summary: 'Merge labels into a flow run',
        scope: write,
        kind: 'change',
        params: IdParams,
        body: FlowRunLabelsBody,
        responses: { 204: null },
      },
      ({ params, body, actor }) => changeRun(context, { kind: 'change_flow_run', actor, id: params.id, labels: body }),
    ),
    route(
      {
        method: 'DELETE',
        path: '/flow_runs/:id',
        tag,
        summary: 'Delete a flow run',
        description: 'Deletes its logs and verdicts too, and releases its slots. Subflows stay, without their parent.',
        scope: write,
        kind: 'change',
        params: IdParams,
        responses: { 204: null },
      },
      async ({ params, actor }) => {
        if ((await writeQueue.as(actor).submit(removeFlowRuns(context, [params.id]))) === 0) throw notFound('Flow run')
      },
    ),
    route(
      {
        method: 'POST',
        path: '/flow_runs/:id/set_state',
        tag,
        summary: 'Propose a state for a flow run',
        description:
          'The orchestration rules decide. `status` is `ACCEPT` if the run entered the state, `REJECT` if it entered another one or stayed as it was, `WAIT` if the client should propose it again later, and `ABORT` if it should stop; `details` says why. `force` skips the rules. A worker may send its name as `x-service-worker`, so that the run is crashed if the worker goes offline.',
        scope: write,
        kind: 'change',
        params: IdParams,
        headers: ProposalHeaders,
        body: SetStateBody,
        responses: { 201: OrchestrationResult, 200: OrchestrationResult },
      },
      async ({ params, headers, body, actor }) => {
        const worker = headers['x-service-worker'] ?? undefined
        const { written, result } = await changeRun(context, {
          kind: 'propose_flow_run',
          actor,
          id: params.id,
          state: toReceivedState(body.state),
          force: body.force,
          leaseMode: parseLeaseMode(headers),
          worker,
        })
        return new RouteResponse(written ? 201 : 200, result)
      },
    ),
    route(
      {
        method: 'POST',
        path: '/flow_runs/bulk_set_state',
        tag,
        summary: 'Propose a state for the flow runs that match',
        description: 'Proposes the state for all runs that match in one transaction. Each has its own result.',
        scope: write,
        kind: 'change',
        headers: LeaseModeHeaders,
        body: FlowRunsBulkSetStateBody,
        responses: { 200: FlowRunBulkSetStateResponse },
      },
      async ({ headers, body, actor }) => bulkSetState(actAs(context, actor), { ...body, flow_runs: await findRuns(body) }, parseLeaseMode(headers)),
    ),
    route(
      {
        method: 'POST',
        path: '/flow_runs/bulk_delete',
        tag,
        summary: 'Delete the flow runs that match',
        description: 'Deletes at most `limit` runs and returns their ids. Repeat the request until the list is empty.',
        scope: write,
        kind: 'change',
        body: FlowRunsBulkDeleteBody,
        responses: { 200: FlowRunBulkDeleteResponse },
      },
      async ({ body, actor }) => {
        const flow_runs = await findRuns(body)
        return writeQueue.as(actor).submit(async (tx) => {
          const ids = await listFlowRunIds(tx, { flow_runs }, body.limit)
          await removeFlowRuns(context, ids)(tx)
          return { deleted: ids }
        })
      },
    ),
    route(
      {
        method: 'POST',
        path: '/flow_runs/count',
        tag,
        summary: 'Count flow runs',
        scope: read,
        kind: 'query',
        body: FlowRunsCountBody,
        responses: { 200: Count },
      },
      ({ body }) => countFlowRuns(heavyReads, body, body.count_up_to ?? undefined, longReads),
    ),
    route(
      {
        method: 'POST',
        path: '/flow_runs/filter',
        tag,
        summary: 'List flow runs',
        scope: read,
        kind: 'query',
        body: FlowRunsFilterBody,
        responses: { 200: Type.Array(FlowRunResponse) },
      },
      ({ body }) => pages.list(body, { sort: body.sort, limit: pageLimit(body.limit, limitMax), offset: body.offset }, () => clock.now()),
    ),
    route(
      {
        method: 'POST',
        path: '/flow_runs/paginate',
        tag,
        summary: 'List flow runs by page',
        scope: read,
        kind: 'query',
        body: FlowRunsPaginateBody,
        responses: { 200: FlowRunPaginationResponse },
      },
      async ({ body }) => {
        const limit = pageLimit(body.limit, limitMax)
        const [runs, count] = await Promise.all([
          pages.list(body, { sort: body.sort, limit, offset: pageOffset(body.page, limit) }, () => clock.now()),
          countFlowRuns(heavyReads, body, undefined, longReads),
        ])
        return toPage(runs, count, limit, body.page)
      },
    ),
  ]
}
