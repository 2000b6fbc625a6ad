import type { Action } from '@millrace/contracts/action.ts'
import { jobVariablesRefusal } from '../domains/deployments/job-variables.ts'
import { readDeployment } from '../domains/deployments/store.ts'
import { readPoolByName } from '../domains/work-pools/store.ts'
import { invalid, notFound } from '../errors.ts'
import { jsonText } from '../lib/json.ts'
import type { Db } from '../storage/database.ts'

/** A run that an automation starts has the variables of its deployment and those that the action names: together they are complete and fit the pool. */
export async function refuseJobVariables(db: Db, actions: readonly Action[], options: { emptyToo: boolean }): Promise<void> {
  for (const [index, action] of actions.entries()) {
    if (action.type !== 'run-deployment' || !action.deployment_id || !action.job_variables) continue
    const variables = jsonText(action.job_variables)
    if (variables === '{}' && !options.emptyToo) continue
    const deployment = await readDeployment(db, action.deployment_id)
    if (!deployment) throw notFound('Deployment')
    const pool = deployment.pool_name && (await readPoolByName(db, deployment.pool_name))
    if (!pool || (variables === '{}' && deployment.job_variables === '{}')) continue
    const refusal = jobVariablesRefusal(pool.base_job_template, [deployment.job_variables, variables], { partial: false })
    if (refusal) throw invalid(['body', 'actions', index, 'job_variables'], refusal)
  }
}
