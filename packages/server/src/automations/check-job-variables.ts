import type { Action } from '@millrace/contracts/action.ts'
import { checkJobVariables, describeJobVariablesError } from '../domains/deployments/job-variables.ts'
import { readDeployment } from '../domains/deployments/store.ts'
import { readPoolByName } from '../domains/work-pools/store.ts'
import { invalid, notFound } from '../errors.ts'
import { jsonText } from '../lib/json.ts'
import type { Db } from '../storage/database.ts'
import type { ServerContext } from '../storage/server-context.ts'

/** The job variables of a run-deployment action with what they are validated against. */
export interface AddedVariables {
  readonly actionIndex: number
  readonly template: string
  /** The variables of the deployment, then those of the action. */
  readonly layers: readonly string[]
}

/** Reads the deployments and pools that the job variables of actions are validated against. */
export async function readAddedVariables(db: Db, actions: readonly Action[], options: { readonly emptyToo: boolean }): Promise<AddedVariables[]> {
  const added: AddedVariables[] = []
  for (const [actionIndex, action] of actions.entries()) {
    if (action.type !== 'run-deployment' || !action.deployment_id || !action.job_variables) continue
    const variables = jsonText(action.job_variables)
    if (variables === '{}' && !options.emptyToo) continue
    const deployment = await readDeployment(db, action.deployment_id)
    if (!deployment) throw notFound('Deployment')
    const pool = deployment.pool_name && (await readPoolByName(db, deployment.pool_name))
    if (!pool || (variables === '{}' && deployment.job_variables === '{}')) continue
    added.push({ actionIndex, template: pool.base_job_template, layers: [deployment.job_variables, variables] })
  }
  return added
}

/** Validates the merged job variables of deployment and action against the pool's template. */
export async function checkAddedVariables(context: ServerContext, added: readonly AddedVariables[]): Promise<void> {
  for (const { actionIndex, template, layers } of added) {
    const error = await checkJobVariables(context, template, layers, { partial: false })
    if (error) throw invalid(['body', 'actions', actionIndex, 'job_variables'], describeJobVariablesError(error))
  }
}
