import { DeploymentFlowRunCreate, DeploymentFlowRunsCreateBody, FlowRunBulkCreateResponse, FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { badRequest, InvalidRequest, notFound } from '../../errors.ts'
import { type Route, RouteResponse, route } from '../../lib/route.ts'
import { actAs, type ServerContext } from '../../storage/server-context.ts'
import { assertParameterSize } from '../deployments/check-parameters.ts'
import { IdParams } from '../request-params.ts'
import { createDeploymentRun, createDeploymentRuns } from './create-from-deployment.ts'
import { type DeploymentRunRequest, deploymentExists } from './deployment-run-request.ts'
import { toFlowRunResponse } from './store.ts'

const tag = 'Deployments'
const scope = 'deployments:run'
const runsMax = 100

/** Operations on deployments that create flow runs. They are here because flow runs import deployments, and not the other way round. */
export function deploymentRunRoutes(context: ServerContext): Route[] {
  const { clock, reads } = context

  return [
    route(
      {
        method: 'POST',
        path: '/deployments/:id/create_flow_run',
        tag,
        summary: 'Create a flow run of a deployment',
        description:
          'Parameters are checked against the schema of the deployment if it enforces one, and job variables against the template of its pool.',
        scope,
        kind: 'change',
        params: IdParams,
        body: DeploymentFlowRunCreate,
        responses: { 201: FlowRunResponse, 200: FlowRunResponse },
      },
      async ({ params, body, actor }) => {
        assertParameterSize(context, body.parameters, ['body', 'parameters'])
        const { isNew, row } = await createDeploymentRun(actAs(context, actor), { actor, deploymentId: params.id, body })
        return new RouteResponse(isNew ? 201 : 200, toFlowRunResponse(row, clock.now()))
      },
    ),
    route(
      {
        method: 'POST',
        path: '/deployments/:id/create_flow_run/bulk',
        tag,
        summary: 'Create many flow runs of a deployment',
        description: 'All runs are created in one transaction. Each succeeds or fails on its own.',
        scope,
        kind: 'change',
        params: IdParams,
        body: DeploymentFlowRunsCreateBody,
        responses: { 200: FlowRunBulkCreateResponse },
      },
      async ({ params, body, actor }) => {
        if (body.length > runsMax) throw badRequest(`Too many flow runs: at most ${runsMax} per request.`)
        for (const [index, run] of body.entries()) assertParameterSize(context, run.parameters, ['body', index, 'parameters'])
        if (!(await deploymentExists(reads, params.id))) throw notFound('Deployment')
        const runs = body.map((run) => ({ actor, deploymentId: params.id, body: run as DeploymentRunRequest['body'] }))
        const results = await createDeploymentRuns(actAs(context, actor), runs)
        return {
          results: results.map((result) =>
            result instanceof Error
              ? { flow_run_id: null, status: 'FAILED', error: errorText(result) }
              : { flow_run_id: result.row.id, status: 'CREATED', error: null },
          ),
        }
      },
    ),
  ]
}

const errorText = (error: Error): string => (error instanceof InvalidRequest ? error.faults.map(({ msg }) => msg).join('; ') : error.message)
