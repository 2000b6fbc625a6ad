import {
  DeploymentBulkDeleteResponse,
  DeploymentCreate,
  DeploymentPaginationResponse,
  DeploymentResponse,
  DeploymentScheduleBody,
  DeploymentsBulkDeleteBody,
  DeploymentsCountBody,
  DeploymentsFilterBody,
  DeploymentsPaginateBody,
  DeploymentsScheduledFlowRunsBody,
  DeploymentUpdate,
} from '@millrace/contracts/deployment.ts'
import { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { Count } from '@millrace/contracts/paging.ts'
import { Text } from '@millrace/contracts/primitives.ts'
import { WorkQueue } from '@millrace/contracts/work-queue.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { type Route, RouteResponse, route } from '../../lib/route.ts'
import { toMicros } from '../../lib/time.ts'
import { actAs, type ServerContext } from '../../storage/server-context.ts'
import { toFlowRunResponse } from '../flow-runs/store.ts'
import { IdParams, pageLimit, pageOffset, toPage } from '../request-params.ts'
import { findBeforeWrite, readsFor } from '../text-searches.ts'
import { assertParameterSize, findParameterError } from './check-parameters.ts'
import { createDeployment } from './create-deployment.ts'
import { removeDeployments } from './delete-deployments.ts'
import { listQueuesAccepting } from './list-accepting-queues.ts'
import { pollDeployments } from './poll.ts'
import { findLimitConflict } from './references.ts'
import { toDeploymentResponses } from './response.ts'
import { validateSchedules, withLocations } from './schedule-rows.ts'
import { scheduleRuns } from './schedule-runs.ts'
import { countDeployments, type Deployment, listDeploymentIds, listDeployments, readDeployment, readDeploymentByName } from './store.ts'
import { setPaused, updateDeployment } from './update-deployment.ts'

const tag = 'Deployments'
const read = 'deployments:read'
const write = 'deployments:write'
const ByNames = Type.Object({ flow_name: Text, deployment_name: Text })
const Nothing = Type.Null()

export function deploymentRoutes(context: ServerContext): Route[] {
  const { writeQueue, reads, clock, config } = context
  const limitMax = config.server.api.default_limit

  const answers = (rows: readonly Deployment[]): Promise<DeploymentResponse[]> => toDeploymentResponses(context, reads, rows)
  const found = async (row: Deployment | undefined): Promise<DeploymentResponse> => {
    if (!row) throw notFound('Deployment')
    return (await answers([row]))[0] as DeploymentResponse
  }
  const judge = (body: Pick<DeploymentUpdate, 'schedules' | 'parameters'>): void => {
    assertParameterSize(context, body.parameters, ['body', 'parameters'])
    validateSchedules(context, withLocations(body.schedules ?? [], ['body', 'schedules']))
  }

  return [
    route(
      {
        method: 'POST',
        path: '/deployments/',
        tag,
        summary: 'Create a deployment, or update the one with this name',
        description: 'A flow has one deployment of each name. An existing one is updated and returned with 200.',
        scope: write,
        kind: 'change',
        body: DeploymentCreate,
        checkRawBody: (sent) => findLimitConflict(sent) ?? findParameterError(context, sent),
        validateBody: judge,
        responses: { 201: DeploymentResponse, 200: DeploymentResponse },
      },
      async ({ body, actor }) => {
        const { isNew: made, response: answer } = await createDeployment(actAs(context, actor), body)
        return new RouteResponse(made ? 201 : 200, answer)
      },
    ),
    route(
      {
        method: 'GET',
        path: '/deployments/name/:flow_name/:deployment_name',
        tag,
        summary: 'Read a deployment by flow name and deployment name',
        scope: read,
        kind: 'query',
        params: ByNames,
        responses: { 200: DeploymentResponse },
      },
      async ({ params }) => found(await readDeploymentByName(reads, params.flow_name, params.deployment_name)),
    ),
    route(
      {
        method: 'GET',
        path: '/deployments/:id',
        tag,
        summary: 'Read a deployment',
        scope: read,
        kind: 'query',
        params: IdParams,
        responses: { 200: DeploymentResponse },
      },
      async ({ params }) => found(await readDeployment(reads, params.id)),
    ),
    route(
      {
        method: 'PATCH',
        path: '/deployments/:id',
        tag,
        summary: 'Update a deployment',
        description: 'Changes the given fields only. Any update plans the future runs again, so that none uses old values.',
        scope: write,
        kind: 'change',
        params: IdParams,
        body: DeploymentUpdate,
        checkRawBody: findLimitConflict,
        validateBody: judge,
        responses: { 204: null },
      },
      ({ params, body, actor }) => updateDeployment(actAs(context, actor), params.id, body),
    ),
    route(
      {
        method: 'DELETE',
        path: '/deployments/:id',
        tag,
        summary: 'Delete a deployment and its runs that have not started',
        description: 'Its schedules and its own concurrency limit are deleted too. Started runs stay.',
        scope: write,
        kind: 'change',
        params: IdParams,
        responses: { 204: null },
      },
      async ({ params, actor }) => {
        if ((await writeQueue.as(actor).submit(removeDeployments(context, [params.id]))).length === 0) throw notFound('Deployment')
      },
    ),
    route(
      {
        method: 'POST',
        path: '/deployments/bulk_delete',
        tag,
        summary: 'Delete deployments by filter',
        description: 'Deletes at most `limit` deployments and returns their ids.',
        scope: write,
        kind: 'change',
        body: DeploymentsBulkDeleteBody,
        responses: { 200: DeploymentBulkDeleteResponse },
      },
      async ({ body: { deployments, limit }, actor }) => {
        const filter = deployments && (await findBeforeWrite(context, deployments, (db) => listDeploymentIds(db, { deployments }, limit)))
        const deleted = await writeQueue
          .as(actor)
          .submit(async (tx) => removeDeployments(context, await listDeploymentIds(tx, { deployments: filter }, limit))(tx))
        return { deleted }
      },
    ),
    route(
      {
        method: 'POST',
        path: '/deployments/count',
        tag,
        summary: 'Count deployments',
        scope: read,
        kind: 'query',
        body: DeploymentsCountBody,
        responses: { 200: Count },
      },
      ({ body }) => countDeployments(readsFor(context, body), body),
    ),
    route(
      {
        method: 'POST',
        path: '/deployments/filter',
        tag,
        summary: 'List deployments',
        scope: read,
        kind: 'query',
        body: DeploymentsFilterBody,
        responses: { 200: Type.Array(DeploymentResponse) },
      },
      async ({ body }) =>
        answers(
          await listDeployments(readsFor(context, body), body, { sort: body.sort, limit: pageLimit(body.limit, limitMax), offset: body.offset }),
        ),
    ),
    route(
      {
        method: 'POST',
        path: '/deployments/paginate',
        tag,
        summary: 'List deployments by page',
        scope: read,
        kind: 'query',
        body: DeploymentsPaginateBody,
        responses: { 200: DeploymentPaginationResponse },
      },
      async ({ body }) => {
        const limit = pageLimit(body.limit, limitMax)
        const rows = await listDeployments(readsFor(context, body), body, { sort: body.sort, limit, offset: pageOffset(body.page, limit) })
        return toPage(await answers(rows), await countDeployments(readsFor(context, body), body), limit, body.page)
      },
    ),
    route(
      {
        method: 'POST',
        path: '/deployments/get_scheduled_flow_runs',
        tag,
        summary: 'Poll deployments for due runs',
        description: 'Returns the due runs of the deployments and marks the deployments as ready. Processes that serve deployments call it.',
        scope: 'deployments:run',
        kind: 'change',
        ignoresUnreadableBody: true,
        body: DeploymentsScheduledFlowRunsBody,
        responses: { 200: Type.Array(FlowRunResponse) },
      },
      async ({ body, actor }) => {
        const before = body.scheduled_before === null ? null : toMicros(body.scheduled_before)
        const runs = await pollDeployments(actAs(context, actor), body.deployment_ids, before, pageLimit(body.limit, limitMax))
        const now = clock.now()
        return runs.map((run) => toFlowRunResponse(run, now))
      },
    ),
    route(
      {
        method: 'POST',
        path: '/deployments/:id/schedule',
        tag,
        summary: "Create the runs of a deployment's schedules for a period",
        description: 'Uses the active schedules, even if the deployment is paused. An unknown deployment is ignored.',
        scope: write,
        kind: 'change',
        params: IdParams,
        body: DeploymentScheduleBody,
        responses: { 200: Nothing },
      },
      ({ params, body, actor }) => {
        const acting = actAs(context, actor)
        return acting.commands.submit(scheduleRuns(acting, params.id, body))
      },
    ),
    route(
      {
        method: 'POST',
        path: '/deployments/:id/resume_deployment',
        tag,
        summary: "Resume a deployment's schedules",
        description: 'Runs are planned from now on.',
        scope: write,
        kind: 'change',
        params: IdParams,
        responses: { 200: Nothing },
      },
      ({ params, actor }) => writeQueue.as(actor).submit(setPaused(context, params.id, false)),
    ),
    route(
      {
        method: 'POST',
        path: '/deployments/:id/pause_deployment',
        tag,
        summary: "Pause a deployment's schedules",
        description: 'Deletes the planned runs, but not those that were created by hand.',
        scope: write,
        kind: 'change',
        params: IdParams,
        responses: { 200: Nothing },
      },
      ({ params, actor }) => writeQueue.as(actor).submit(setPaused(context, params.id, true)),
    ),
    route(
      {
        method: 'GET',
        path: '/deployments/:id/work_queue_check',
        tag,
        summary: "List the work queues whose filter accepts a deployment's runs (deprecated)",
        scope: read,
        kind: 'query',
        params: IdParams,
        responses: { 200: Type.Array(WorkQueue) },
      },
      ({ params }) => listQueuesAccepting(reads, params.id),
    ),
  ]
}
