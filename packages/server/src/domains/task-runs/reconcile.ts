import type { StateType } from '@millrace/contracts/state.ts'
import type { Micros } from '../../lib/time.ts'
import { changeRunsIn } from '../../runs/batch.ts'
import { statement, type Tx } from '../../storage/database.ts'
import type { ActingContext } from '../../storage/server-context.ts'

interface StaleTaskRun {
  readonly id: string
  readonly flow_state_type: StateType
  readonly flow_end_time: Micros
  readonly flow_run_name: string
}

/**
 * Task runs whose last state precedes the end of their flow run, some time after that end, because events may arrive late. A task run that outlives
 * its flow run sends further states, which are later than the end.
 */
const staleTaskRuns = statement(
  (dialect) => `select task_run.id, flow_run.state_type as flow_state_type, flow_run.end_time as flow_end_time, flow_run.name as flow_run_name
    from task_run join flow_run on flow_run.id = task_run.flow_run_id
    where task_run.id > $1 and task_run.state_type in ('PENDING', 'RUNNING') and task_run.flow_run_id is not null
      and flow_run.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') and flow_run.end_time < $2 and task_run.state_timestamp <= flow_run.end_time
    order by task_run.id limit $3 ${dialect.forUpdate && `${dialect.forUpdate} of task_run`}`,
)

export const idMin = '00000000-0000-0000-0000-000000000000'

export interface ReconcileResult {
  readonly ended: number
  /** The id to continue after. Undefined at the end. */
  readonly next: string | undefined
}

/** Ends task runs that sent no state since their flow run ended, if that is before `endedBefore`. Pages by id. */
export const reconcileTaskRuns =
  (context: ActingContext, endedBefore: Micros, after: string, limit: number) =>
  async (tx: Tx): Promise<ReconcileResult> => {
    const runs = await tx.all<StaleTaskRun>(staleTaskRuns, [after, endedBefore, limit])
    const commands = runs.map(({ id, flow_run_name: name, flow_state_type: state_type, flow_end_time: end_time }) => ({
      kind: 'end_task_run' as const,
      actor: context.actor,
      id,
      flowRun: { name, state_type, end_time },
    }))
    await changeRunsIn(context, tx, commands)
    return { ended: runs.length, next: runs.length < limit ? undefined : runs.at(-1)?.id }
  }
