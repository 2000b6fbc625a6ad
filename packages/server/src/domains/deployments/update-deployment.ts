import type { DeploymentUpdate } from '@millrace/contracts/deployment.ts'
import { notFound } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { checkThenWrite } from '../../storage/checked-write.ts'
import type { Db, Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { refuseNulls } from '../refuse-nulls.ts'
import { readPoolByName } from '../work-pools/store.ts'
import { applyScheduleChange, scheduleChange } from './change-schedules.ts'
import { parameterRefusal } from './check-parameters.ts'
import { changes, deploymentEvent } from './events.ts'
import { hydrated } from './hydrate.ts'
import { hydrationContext } from './hydration-context.ts'
import { refuseChangedJobVariables } from './job-variables.ts'
import { setOwnLimit } from './own-limit.ts'
import { placeOf } from './place.ts'
import { dropPlannedRuns, planDeploymentAgain } from './planning.ts'
import { refuseUnknownDocuments, refuseUnknownLimit } from './refuse-requests.ts'
import { readSchedules } from './schedules.ts'
import { sentColumns } from './sent-columns.ts'
import { type Deployment, type DeploymentRow, lockDeployment, readDeployment, updateDeploymentRow } from './store.ts'

/** Changes what is given. Whatever it is, runs that were planned for later are planned anew, so that none is made of the old. */
export const updateDeployment = (context: ServerContext, id: string, body: DeploymentUpdate): Promise<void> =>
  checkThenWrite(context, {
    read: (db, tx) => readFacts(db, tx, id, body),
    async check(facts) {
      refuseNulls(body, 'parameters', 'enforce_parameter_schema')
      if (facts.template !== undefined && body.job_variables) await refuseChangedJobVariables(context, facts.template, jsonText(body.job_variables))
      const parameters = await parametersOf(context, body)
      await refuseParameters(context, facts, body, parameters)
      return parameters
    },
    write: writeDeployment(context, id, body),
  })

const writeDeployment =
  (context: ServerContext, id: string, body: DeploymentUpdate) =>
  async (tx: Tx, parameters: string | undefined): Promise<void> => {
    const { clock, newId } = context
    const before = await lockDeployment(tx, id)
    if (!before) throw notFound('Deployment')
    const schedules = await readSchedules(tx, [id])
    const change = scheduleChange(schedules, body.schedules)
    await refuseUnknownLimit(tx, body)
    await refuseUnknownDocuments(tx, body)

    const now = clock.now()
    await updateDeploymentRow(tx, {
      ...sentColumns(body),
      ...(parameters === undefined ? {} : { parameters }),
      ...(await queueColumn(context, tx, body)),
      ...(body.global_concurrency_limit_id === undefined ? {} : { concurrency_limit_id: body.global_concurrency_limit_id }),
      id,
      updated: now,
    })
    if (body.concurrency_limit !== undefined) {
      const current = (await readDeployment(tx, id)) as Deployment
      await updateDeploymentRow(tx, { id, concurrency_limit_id: await setOwnLimit(context, tx, current, body.concurrency_limit) })
    }

    const after = (await readDeployment(tx, id)) as Deployment
    const live = !toBoolean(after.paused)
    await dropPlannedRuns(tx, id, now)
    await applyScheduleChange(context, tx, { id, live }, schedules, change)
    await planDeploymentAgain(tx, [id], now, live)
    const payload = changes(before, after)
    if (payload) tx.emit(deploymentEvent('updated', after, newId(), now, payload))
  }

/** What the checks of an update depend on. */
type Facts = Pick<Deployment, 'enforce_parameter_schema' | 'parameter_openapi_schema' | 'parameters'> & {
  /** The base job template of the pool that the update names. */
  readonly template: string | undefined
}

async function readFacts(db: Db, tx: Tx | undefined, id: string, { work_pool_name: name }: DeploymentUpdate): Promise<Facts> {
  const before = await (tx ? lockDeployment(tx, id) : readDeployment(db, id))
  if (!before) throw notFound('Deployment')
  const pool = name ? await readPoolByName(db, name) : undefined
  if (name && !pool) throw notFound(`Work pool "${name}"`)
  const { enforce_parameter_schema, parameter_openapi_schema, parameters } = before
  return { enforce_parameter_schema, parameter_openapi_schema, parameters, template: pool?.base_job_template }
}

async function parametersOf(context: ServerContext, { parameters }: DeploymentUpdate): Promise<string | undefined> {
  if (parameters == null) return undefined
  const text = jsonText(parameters)
  return hydrated(text, await hydrationContext(context, context.reads, [text]))
}

/** Once a deployment enforces its schema, every change has to leave it with parameters that fit. */
async function refuseParameters(context: ServerContext, before: Facts, body: DeploymentUpdate, parameters: string | undefined): Promise<void> {
  if (!(body.enforce_parameter_schema ?? toBoolean(before.enforce_parameter_schema))) return
  const schema = sentColumns(body).parameter_openapi_schema ?? before.parameter_openapi_schema
  const refusal = await parameterRefusal(context, schema, parameters ?? before.parameters, { partial: true })
  if (refusal) throw refusal
}

/** A pool that is null takes the deployment out of its queue, whatever else is said. */
async function queueColumn(context: ServerContext, tx: Tx, body: DeploymentUpdate): Promise<Partial<DeploymentRow>> {
  if (body.work_pool_name === null) return { work_queue_id: null }
  const queueId = await placeOf(context, tx, body)
  return queueId === undefined ? {} : { work_queue_id: queueId }
}
