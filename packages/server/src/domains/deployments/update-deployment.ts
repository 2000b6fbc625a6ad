import type { DeploymentUpdate } from '@millrace/contracts/deployment.ts'
import { conflict, notFound } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import type { Tx } from '../../storage/database.ts'
import type { Parts } from '../../storage/parts.ts'
import { truth } from '../../storage/tables.ts'
import { refuseNulls } from '../refuse-nulls.ts'
import { readPoolByName } from '../work-pools/store.ts'
import { applyScheduleChange, scheduleChange } from './change-schedules.ts'
import { parameterRefusal } from './check-parameters.ts'
import { changes, deploymentEvent } from './events.ts'
import { hydrated } from './hydrate.ts'
import { hydrationContext } from './hydration-context.ts'
import { jobVariablesRefusal } from './job-variables.ts'
import { setOwnLimit } from './own-limit.ts'
import { placeOf } from './place.ts'
import { dropPlannedRuns, planDeploymentAgain } from './planning.ts'
import { refuseUnknownDocuments, refuseUnknownLimit } from './refuse-requests.ts'
import { readSchedules } from './schedules.ts'
import { sentColumns } from './sent-columns.ts'
import { type Deployment, type DeploymentRow, lockDeployment, readDeployment, updateDeploymentRow } from './store.ts'

/** Changes what is given. Whatever it is, runs that were planned for later are planned anew, so that none is made of the old. */
export const updateDeployment =
  (parts: Parts, id: string, body: DeploymentUpdate) =>
  async (tx: Tx): Promise<void> => {
    const { clock, newId } = parts
    const before = await lockDeployment(tx, id)
    if (!before) throw notFound('Deployment')
    refuseNulls(body, 'parameters', 'enforce_parameter_schema')
    const schedules = await readSchedules(tx, [id])
    const change = scheduleChange(schedules, body.schedules)
    await refuseForeignVariables(tx, body)
    const parameters = await parametersOf(parts, tx, body)
    refuseParameters(before, body, parameters)
    await refuseUnknownLimit(tx, body)
    await refuseUnknownDocuments(tx, body)

    const now = clock.now()
    await updateDeploymentRow(tx, {
      ...sentColumns(body),
      ...(parameters === undefined ? {} : { parameters }),
      ...(await queueColumn(parts, tx, body)),
      ...(body.global_concurrency_limit_id === undefined ? {} : { concurrency_limit_id: body.global_concurrency_limit_id }),
      id,
      updated: now,
    })
    if (body.concurrency_limit !== undefined) {
      const current = (await readDeployment(tx, id)) as Deployment
      await updateDeploymentRow(tx, { id, concurrency_limit_id: await setOwnLimit(parts, tx, current, body.concurrency_limit) })
    }

    const after = (await readDeployment(tx, id)) as Deployment
    const live = !truth(after.paused)
    await dropPlannedRuns(tx, id, now)
    await applyScheduleChange(parts, tx, { id, live }, schedules, change)
    await planDeploymentAgain(tx, [id], now, live)
    const payload = changes(before, after)
    if (payload) tx.announce(deploymentEvent('updated', after, newId(), now, payload))
  }

async function refuseForeignVariables(tx: Tx, { work_pool_name: name, job_variables: variables }: DeploymentUpdate): Promise<void> {
  if (!name) return
  const pool = await readPoolByName(tx, name)
  if (!pool) throw notFound(`Work pool "${name}"`)
  const refusal = variables && jobVariablesRefusal(pool.base_job_template, [jsonText(variables)], { partial: true })
  if (refusal) throw conflict(refusal)
}

async function parametersOf(parts: Parts, tx: Tx, { parameters }: DeploymentUpdate): Promise<string | undefined> {
  if (parameters == null) return undefined
  const text = jsonText(parameters)
  return hydrated(text, await hydrationContext(parts, tx, [text]))
}

/** Once a deployment enforces its schema, every change has to leave it with parameters that fit. */
function refuseParameters(before: DeploymentRow, body: DeploymentUpdate, parameters: string | undefined): void {
  if (!(body.enforce_parameter_schema ?? truth(before.enforce_parameter_schema))) return
  const schema = sentColumns(body).parameter_openapi_schema ?? before.parameter_openapi_schema
  const refusal = parameterRefusal(schema, parameters ?? before.parameters, { partial: true })
  if (refusal) throw refusal
}

/** A pool that is null takes the deployment out of its queue, whatever else is said. */
async function queueColumn(parts: Parts, tx: Tx, body: DeploymentUpdate): Promise<Partial<DeploymentRow>> {
  if (body.work_pool_name === null) return { work_queue_id: null }
  const queueId = await placeOf(parts, tx, body)
  return queueId === undefined ? {} : { work_queue_id: queueId }
}
