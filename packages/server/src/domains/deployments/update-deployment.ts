import type { DeploymentUpdate } from '@millrace/contracts/deployment.ts'
import { notFound } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { deletePlannedRuns } from '../../runs/delete-runs.ts'
import { checkThenWrite } from '../../storage/checked-write.ts'
import type { Db, Tx } from '../../storage/database.ts'
import type { ActingContext, ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { assertNotNull } from '../request-params.ts'
import { readPoolByName } from '../work-pools/store.ts'
import { applyScheduleChange, scheduleChange } from './change-schedules.ts'
import { checkParameters } from './check-parameters.ts'
import { setDeploymentLimit } from './deployment-limit.ts'
import { changePayload, deploymentEvent } from './events.ts'
import { hydrateText } from './hydrate.ts'
import { hydrationContext } from './hydration-context.ts'
import { assertChangedJobVariables } from './job-variables.ts'
import { assertDocumentsExist, assertLimitExists, resolveQueueId } from './references.ts'
import { replanDeployments } from './replan.ts'
import { toColumns } from './request-columns.ts'
import { type Deployment, type DeploymentRow, lockDeployment, readDeployment, readSchedules, updateDeploymentRow } from './store.ts'

/** Updates the given fields. Any update replans future runs, so that no run uses old values. */
export const updateDeployment = (context: ActingContext, id: string, body: DeploymentUpdate): Promise<void> =>
  checkThenWrite(context, {
    read: (db, tx) => readUpdateInputs(db, tx, id, body),
    async check(inputs) {
      assertNotNull(body, 'parameters', 'enforce_parameter_schema')
      if (inputs.template !== undefined && body.job_variables) await assertChangedJobVariables(context, inputs.template, jsonText(body.job_variables))
      const parameters = await hydrateParameters(context, body)
      await assertParameters(context, inputs, body, parameters)
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
    await assertLimitExists(tx, body)
    await assertDocumentsExist(tx, body)

    const now = clock.now()
    await updateDeploymentRow(tx, {
      ...toColumns(body),
      ...(parameters === undefined ? {} : { parameters }),
      ...(await queueColumns(context, tx, body)),
      ...(body.global_concurrency_limit_id === undefined ? {} : { concurrency_limit_id: body.global_concurrency_limit_id }),
      id,
      updated: now,
    })
    if (body.concurrency_limit !== undefined) {
      const current = (await readDeployment(tx, id)) as Deployment
      await updateDeploymentRow(tx, { id, concurrency_limit_id: await setDeploymentLimit(context, tx, current, body.concurrency_limit) })
    }

    const after = (await readDeployment(tx, id)) as Deployment
    const isActive = !toBoolean(after.paused)
    await deletePlannedRuns(tx, id, now)
    await applyScheduleChange(context, tx, { id, isActive }, schedules, change)
    await replanDeployments(tx, [id], now, isActive)
    const payload = changePayload(before, after)
    if (payload) tx.emit(deploymentEvent('updated', after, newId(), now, payload))
  }

/** The stored values that the checks of an update depend on. */
type UpdateInputs = Pick<Deployment, 'enforce_parameter_schema' | 'parameter_openapi_schema' | 'parameters'> & {
  /** The base job template of the pool that the update names. */
  readonly template: string | undefined
}

async function readUpdateInputs(db: Db, tx: Tx | undefined, id: string, { work_pool_name: name }: DeploymentUpdate): Promise<UpdateInputs> {
  const before = await (tx ? lockDeployment(tx, id) : readDeployment(db, id))
  if (!before) throw notFound('Deployment')
  const pool = name ? await readPoolByName(db, name) : undefined
  if (name && !pool) throw notFound(`Work pool "${name}"`)
  const { enforce_parameter_schema, parameter_openapi_schema, parameters } = before
  return { enforce_parameter_schema, parameter_openapi_schema, parameters, template: pool?.base_job_template }
}

async function hydrateParameters(context: ServerContext, { parameters }: DeploymentUpdate): Promise<string | undefined> {
  if (parameters == null) return undefined
  const text = jsonText(parameters)
  return hydrateText(text, await hydrationContext(context, context.reads, [text]))
}

/** If the deployment enforces its schema, the updated parameters must be valid. */
async function assertParameters(context: ServerContext, before: UpdateInputs, body: DeploymentUpdate, parameters: string | undefined): Promise<void> {
  if (!(body.enforce_parameter_schema ?? toBoolean(before.enforce_parameter_schema))) return
  const schema = toColumns(body).parameter_openapi_schema ?? before.parameter_openapi_schema
  const refusal = await checkParameters(context, schema, parameters ?? before.parameters, { partial: true })
  if (refusal) throw refusal
}

/** A null pool removes the deployment from its queue, regardless of the queue name. */
async function queueColumns(context: ServerContext, tx: Tx, body: DeploymentUpdate): Promise<Partial<DeploymentRow>> {
  if (body.work_pool_name === null) return { work_queue_id: null }
  const queueId = await resolveQueueId(context, tx, body)
  return queueId === undefined ? {} : { work_queue_id: queueId }
}

/** Pauses or resumes a deployment. A pause deletes planned runs but not manually created ones; a resumed deployment is planned from now on. */
export const setPaused =
  ({ clock }: ServerContext, id: string, paused: boolean) =>
  async (tx: Tx): Promise<void> => {
    const now = clock.now()
    const deployment = await lockDeployment(tx, id)
    if (!deployment) throw notFound('Deployment')
    if (toBoolean(deployment.paused) !== paused) await updateDeploymentRow(tx, { id, paused, updated: now })
    if (paused) await deletePlannedRuns(tx, id)
    await replanDeployments(tx, [id], now, !paused)
  }
