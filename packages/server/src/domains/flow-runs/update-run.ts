import type { FlowRunUpdate } from '@millrace/contracts/flow-run.ts'
import { badRequest, notFound } from '../../errors.ts'
import type { Actor } from '../../lib/actor.ts'
import { jsonText } from '../../lib/json.ts'
import { changeRun, changeRunIn } from '../../runs/batch.ts'
import type { ChangeFlowRun } from '../../runs/command.ts'
import { checkThenWrite } from '../../storage/checked-write.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { ActingContext } from '../../storage/server-context.ts'
import { assertJobVariables } from '../deployments/job-variables.ts'
import { parsePolicy } from './draft.ts'
import { readFlowRun } from './store.ts'

/** Updates the given fields. An empty or null name becomes a random one. Job variables can change only while a run of a deployment is scheduled. */
export async function updateRun(context: ActingContext, id: string, body: FlowRunUpdate): Promise<void> {
  const { job_variables: variables } = body
  const command = toCommand(context.actor, id, body)
  if (!variables) await changeRun(context, command)
  else
    await checkThenWrite(context, {
      read: (db) => readJobVariableSources(db, id),
      async check({ job_variables, base_job_template }) {
        if (base_job_template !== null) await assertJobVariables(context, base_job_template, [job_variables, jsonText(variables)], { partial: false })
      },
      write: (tx) => changeRunIn(context, tx, command),
    })
}

const toCommand = (actor: Actor, id: string, body: FlowRunUpdate): ChangeFlowRun => ({
  kind: 'change_flow_run',
  actor,
  id,
  ...('name' in body ? { name: body.name ?? null } : {}),
  columns: {
    ...(body.flow_version === undefined ? {} : { flow_version: body.flow_version }),
    ...(body.parameters === undefined ? {} : { parameters: jsonText(body.parameters) }),
    ...(body.empirical_policy === undefined ? {} : { empirical_policy: JSON.stringify(parsePolicy(body.empirical_policy)) }),
    ...(body.tags === undefined ? {} : { tags: jsonText(body.tags) }),
    ...(body.infrastructure_pid === undefined ? {} : { infrastructure_pid: body.infrastructure_pid }),
    ...(body.job_variables === undefined ? {} : { job_variables: jsonText(body.job_variables) }),
  },
})

/** The job variables of the deployment and the template of its work pool. */
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
  if (row.state_type !== 'SCHEDULED')
    throw badRequest(`Cannot change the job variables of a flow run in state ${row.state_type}. They can be changed while it is SCHEDULED.`)
  const sources = row.deployment_id === null ? undefined : await db.first<JobVariableSources>(deploymentVariables, [row.deployment_id])
  if (!sources) throw badRequest('Cannot change the job variables of a flow run without a deployment.')
  return sources
}
