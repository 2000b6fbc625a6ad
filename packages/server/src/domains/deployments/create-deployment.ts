import type { DeploymentCreate, DeploymentResponse } from '@millrace/contracts/deployment.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import { notFound, unknownReference } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { mergeLabels } from '../../lib/merge-labels.ts'
import type { Micros } from '../../lib/time.ts'
import { deletePlannedRuns } from '../../runs/delete-runs.ts'
import { checkThenWrite } from '../../storage/checked-write.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { ActingContext, ServerContext } from '../../storage/server-context.ts'
import { readPoolByName } from '../work-pools/store.ts'
import { setDeploymentLimit } from './deployment-limit.ts'
import { changePayload, deploymentEvent } from './events.ts'
import { assertJobVariables } from './job-variables.ts'
import { assertDocumentsExist, assertLimitExists, resolveQueueId } from './references.ts'
import { schedulesTopic } from './replan.ts'
import { toColumns } from './request-columns.ts'
import { toDeploymentResponses } from './response.ts'
import { assertUniqueSlugs, toScheduleRows } from './schedule-rows.ts'
import {
  type Deployment,
  type DeploymentRow,
  deleteSchedules,
  insertDeployment,
  insertSchedules,
  lockDeploymentByName,
  readDeployment,
  updateDeploymentRow,
} from './store.ts'

type Body = Received<typeof DeploymentCreate>

export interface CreatedDeployment {
  /** False if an existing deployment with this name was updated. */
  readonly isNew: boolean
  readonly response: DeploymentResponse
}

const flowLabels = statement('select labels from flow where id = $1')

/**
 * Creates a deployment, or updates the one with this name: omitted fields stay, but schedules, parameters and labels are replaced, and
 * runs of the old schedules are deleted.
 */
export const createDeployment = (context: ActingContext, body: Body): Promise<CreatedDeployment> =>
  checkThenWrite(context, {
    read: (db) => readTemplate(db, body),
    async check(template) {
      if (template !== undefined) await assertJobVariables(context, template, [jsonText(body.job_variables)], { partial: true })
    },
    write: writeDeployment(context, body),
  })

const writeDeployment =
  (context: ServerContext, body: Body) =>
  async (tx: Tx): Promise<CreatedDeployment> => {
    const { clock, newId } = context
    await assertLimitExists(tx, body)
    await assertDocumentsExist(tx, body)
    const queueId = await resolveQueueId(context, tx, body)
    const flow = await tx.first<{ labels: string }>(flowLabels, [body.flow_id])
    if (!flow) throw unknownReference(`The flow ${body.flow_id}`)

    const now = clock.now()
    const sent: Partial<DeploymentRow> = {
      ...toColumns(body),
      labels: mergeLabels([flow.labels], { 'prefect.flow.id': body.flow_id }, body.labels),
      ...(queueId === undefined ? {} : { work_queue_id: queueId }),
      ...(body.global_concurrency_limit_id === undefined ? {} : { concurrency_limit_id: body.global_concurrency_limit_id }),
    }
    const { isNew, before } = await insertOrLock(tx, { ...defaultRow(newId(), body, now), ...sent })
    if (!isNew) await updateDeploymentRow(tx, { ...sent, id: before.id, updated: now })
    if (body.concurrency_limit !== undefined) {
      const limitId = await setDeploymentLimit(context, tx, before, body.concurrency_limit)
      await updateDeploymentRow(tx, { id: before.id, concurrency_limit_id: limitId })
    }

    const row = (await readDeployment(tx, before.id)) as Deployment
    const rows = toScheduleRows(context, row.id, body.schedules, !row.paused)
    assertUniqueSlugs(rows)
    if (!isNew) {
      await deletePlannedRuns(tx, row.id, now)
      await deleteSchedules(tx, row.id)
    }
    await insertSchedules(tx, rows)
    if (rows.some(({ due }) => due !== null)) tx.notify(schedulesTopic)

    if (isNew) tx.emit(deploymentEvent('created', row, newId(), now))
    else {
      const payload = changePayload(before, row)
      if (payload) tx.emit(deploymentEvent('updated', row, newId(), now, payload))
    }
    const [response] = await toDeploymentResponses(context, tx, [row])
    return { isNew, response: response as DeploymentResponse }
  }

/** The base job template for the check of the job variables; undefined if there is nothing to check. */
async function readTemplate(db: Db, { work_pool_name: name, job_variables: variables }: Body): Promise<string | undefined> {
  const pool = name ? await readPoolByName(db, name) : undefined
  if (name && !pool) throw notFound(`Work pool "${name}"`)
  return variables && Object.keys(variables).length > 0 ? pool?.base_job_template : undefined
}

/** Another replica may create the deployment at the same time; it is then updated. */
async function insertOrLock(tx: Tx, row: DeploymentRow): Promise<{ isNew: boolean; before: Deployment }> {
  const lock = () => lockDeploymentByName(tx, row.flow_id, row.name)
  const existing = await lock()
  if (existing) return { isNew: false, before: existing }
  const isNew = await insertDeployment(tx, row)
  return { isNew, before: (await lock()) as Deployment }
}

const defaultRow = (id: string, { name, flow_id }: Body, now: Micros): DeploymentRow => ({
  id,
  created: now,
  updated: now,
  flow_id,
  name,
  version: null,
  description: null,
  paused: false,
  status: 'NOT_READY',
  last_polled: null,
  concurrency_limit_id: null,
  concurrency_options: null,
  parameters: '{}',
  parameter_openapi_schema: '{}',
  enforce_parameter_schema: true,
  job_variables: '{}',
  tags: '[]',
  labels: '{}',
  path: null,
  entrypoint: null,
  pull_steps: '[]',
  work_queue_id: null,
  work_queue_name: null,
  storage_document_id: null,
  infrastructure_document_id: null,
  created_by: null,
  updated_by: null,
  version_info: null,
})
