import type { FlowRunUpdate } from '@millrace/contracts/flow-run.ts'
import type { Labels } from '@millrace/contracts/primitives.ts'
import { badRequest, notFound } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import { generateRunName } from '../../lib/run-name.ts'
import { checkThenWrite } from '../../storage/checked-write.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { assertJobVariables } from '../deployments/job-variables.ts'
import { parsePolicy } from './draft.ts'
import { readFlowRun, updateFlowRun } from './store.ts'

/** Changes what is given. A name that is empty or null becomes a random one; job variables change only while a deployment's run waits. */
export const updateRun = (context: ServerContext, id: string, body: FlowRunUpdate): Promise<void> => {
  const { job_variables: variables } = body
  if (!variables) return context.writeQueue.submit(writeRun(context, id, body))
  return checkThenWrite(context, {
    read: (db) => readJobVariableSources(db, id),
    async check({ job_variables, base_job_template }) {
      if (base_job_template !== null) await assertJobVariables(context, base_job_template, [job_variables, jsonText(variables)], { partial: false })
    },
    write: writeRun(context, id, body),
  })
}

const writeRun =
  ({ clock, random }: ServerContext, id: string, body: FlowRunUpdate) =>
  async (tx: Tx): Promise<void> => {
    if (!(await readFlowRun(tx, id))) throw notFound('Flow run')
    await updateFlowRun(tx, {
      id,
      updated: clock.now(),
      ...('name' in body ? { name: body.name || generateRunName(random) } : {}),
      ...(body.flow_version === undefined ? {} : { flow_version: body.flow_version }),
      ...(body.parameters === undefined ? {} : { parameters: jsonText(body.parameters) }),
      ...(body.empirical_policy === undefined ? {} : { empirical_policy: JSON.stringify(parsePolicy(body.empirical_policy)) }),
      ...(body.tags === undefined ? {} : { tags: jsonText(body.tags) }),
      ...(body.infrastructure_pid === undefined ? {} : { infrastructure_pid: body.infrastructure_pid }),
      ...(body.job_variables === undefined ? {} : { job_variables: jsonText(body.job_variables) }),
    })
  }

/** What the pool of the run's deployment asks of job variables, and what the deployment says of them. */
const deploymentVariables = statement(
  `select deployment.job_variables, work_pool.base_job_template
  from deployment
  left join work_queue on work_queue.id = deployment.work_queue_id
  left join work_pool on work_pool.id = work_queue.work_pool_id
  where deployment.id = $1`,
)

interface JobVariableSources {
  readonly job_variables: string
  readonly base_job_template: string | null
}

async function readJobVariableSources(db: Db, id: string): Promise<JobVariableSources> {
  const row = await readFlowRun(db, id)
  if (!row) throw notFound('Flow run')
  if (row.state_type !== 'SCHEDULED') throw badRequest(`Job variables of a flow run in state ${row.state_type} cannot be changed`)
  const under = row.deployment_id === null ? undefined : await db.first<JobVariableSources>(deploymentVariables, [row.deployment_id])
  if (!under) throw badRequest('Job variables can be changed for runs of a deployment only')
  return under
}

export const updateLabels =
  ({ clock }: ServerContext, id: string, labels: Labels) =>
  async (tx: Tx): Promise<void> => {
    const row = await readFlowRun(tx, id)
    if (!row) throw notFound('Flow run')
    await updateFlowRun(tx, { id, updated: clock.now(), labels: JSON.stringify({ ...(JSON.parse(row.labels) as Labels), ...labels }) })
  }
