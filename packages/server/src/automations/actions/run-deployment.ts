import { readAndCheckRun } from '../../domains/flow-runs/check-deployment-run.ts'
import { deploymentRunBatch } from '../../domains/flow-runs/create-from-deployment.ts'
import type { DeploymentRunRequest } from '../../domains/flow-runs/deployment-run-request.ts'
import { notFound } from '../../errors.ts'
import { parseJson } from '../../lib/json.ts'
import { addSeconds, sortableTime } from '../../lib/time.ts'
import { type ActionContext, type ActionKind, callDomain } from '../action-context.ts'
import { resolveTargetId, targetResource } from '../action-targets.ts'
import { renderParameters } from '../render-templates.ts'

/** Creates a flow run of a deployment. The idempotency key contains the invocation id, so that a retry creates no second run. */
export const runDeployment: ActionKind<'run-deployment'> = {
  type: 'run-deployment',
  async prepare(actionContext) {
    const { context, facts } = actionContext
    const id = resolveTargetId(actionContext, 'prefect.deployment', actionContext.action.deployment_id)
    const related = [targetResource('prefect.deployment', id)]
    const parameters = await renderParameters(actionContext, related)
    const createdBy = { id: facts.automation.id, type: 'AUTOMATION', display_value: facts.automation.name }
    const checked = await callDomain(related, () =>
      readAndCheckRun(context, { actor: context.actor, deploymentId: id, createdBy, body: bodyOf(actionContext, parameters) }),
    )
    return async (tx) => {
      const { isNew, row } = await callDomain(related, async () => {
        const [run] = await deploymentRunBatch(context)(tx, [checked])
        if (run === undefined || run instanceof Error) throw run ?? notFound('Deployment')
        return run
      })
      const started = { 'prefect.resource.id': `prefect.flow-run.${row.id}`, 'prefect.resource.role': 'flow-run', 'prefect.resource.name': row.name }
      return { related: [...related, started], details: { status_code: isNew ? 201 : 200 } }
    }
  },
}

function bodyOf(actionContext: ActionContext<Parameters<typeof renderParameters>[0]['action']>, parameters: string): DeploymentRunRequest['body'] {
  const { action, context, facts, invocation, actionIndex } = actionContext
  const scheduled = sortableTime(addSeconds(context.clock.now(), action.schedule_after))
  return {
    state: { type: 'SCHEDULED', state_details: { scheduled_time: scheduled } },
    parameters: parseJson(parameters) as Record<string, unknown>,
    job_variables: action.job_variables,
    idempotency_key: `automation ${facts.automation.id}, action ${actionIndex}, invocation ${invocation}`,
    context: {},
    empirical_policy: {},
    tags: [],
    labels: null,
    parent_task_run_id: null,
    infrastructure_document_id: null,
    work_queue_name: null,
    enforce_parameter_schema: null,
  }
}
