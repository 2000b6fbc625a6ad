import type { StateType } from '@millrace/contracts/state.ts'
import type { ServerEvent } from '../../lib/server-events.ts'
import { formatTime, type Micros } from '../../lib/time.ts'
import type { RunState } from '../../orchestration/rule.ts'
import { withDefaultDetails } from '../../orchestration/states.ts'
import { statement, type Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toStateColumns, toStateRow } from '../run-state.ts'
import type { TaskRunRow } from './store.ts'

/** Marks a state that the server inferred. A later state of the client overrides it. */
const reconciledMark = '"reconciled":true'

export const isReconciled = ({ state_details }: Pick<TaskRunRow, 'state_details'>): boolean => state_details?.includes(reconciledMark) ?? false

interface StaleTaskRun extends TaskRunRow {
  readonly flow_state_type: StateType
  readonly flow_end_time: Micros
  readonly flow_run_name: string
}

/**
 * Task runs whose last state precedes the end of their flow run, some time after that end, because events may arrive late. A task run that outlives
 * its flow run sends further states, which are later than the end.
 */
const staleTaskRuns = statement(
  (dialect) => `select task_run.*, flow_run.state_type as flow_state_type, flow_run.end_time as flow_end_time, flow_run.name as flow_run_name
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
  (context: ServerContext, endedBefore: Micros, after: string, limit: number) =>
  async (tx: Tx): Promise<ReconcileResult> => {
    const runs = await tx.all<StaleTaskRun>(staleTaskRuns, [after, endedBefore, limit])
    const ended = runs.map((run) => ({ run, state: inferredState(run, context.newId()) }))
    const updated = context.clock.now()
    await tx.insert(
      'task_run_state',
      ended.map(({ run, state }) => ({ ...markReconciled(toStateRow(state)), task_run_id: run.id })),
    )
    await tx.update(
      'task_run',
      ended.map(({ run, state }) => ({
        id: run.id,
        updated,
        end_time: run.end_time ?? run.flow_end_time,
        start_time: run.start_time ?? run.flow_end_time,
        ...markReconciled(toStateColumns(state)),
      })),
    )
    for (const { run, state } of ended) tx.emit(stateEvent(run, state))
    return { ended: runs.length, next: runs.length < limit ? undefined : runs.at(-1)?.id }
  }

/** Cancelled if the flow run was cancelled; otherwise crashed, because the actual end is unknown. */
function inferredState(run: StaleTaskRun, id: string): RunState {
  const cancelled = run.flow_state_type === 'CANCELLED'
  return {
    id,
    type: cancelled ? 'CANCELLED' : 'CRASHED',
    name: cancelled ? 'Cancelled' : 'Crashed',
    timestamp: run.flow_end_time,
    message: 'The flow run ended, and this task run sent no state since. Its actual end is unknown.',
    data: null,
    state_details: withDefaultDetails({ flow_run_id: run.flow_run_id, task_run_id: run.id }),
  }
}

const markReconciled = <T extends { state_details: string | null }>(row: T): T => ({
  ...row,
  state_details: `${row.state_details?.slice(0, -1)},${reconciledMark}}`,
})

function stateEvent(run: StaleTaskRun, state: RunState): ServerEvent {
  return {
    id: state.id,
    occurred: state.timestamp,
    event: `prefect.task-run.${state.name}`,
    resource: {
      'prefect.resource.id': `prefect.task-run.${run.id}`,
      'prefect.resource.name': run.name,
      'prefect.run-count': String(run.run_count),
      'prefect.state-message': state.message ?? '',
      'prefect.state-name': state.name,
      'prefect.state-timestamp': formatTime(state.timestamp),
      'prefect.state-type': state.type,
      'prefect.orchestration': 'server',
    },
    related: [
      {
        'prefect.resource.id': `prefect.flow-run.${run.flow_run_id}`,
        'prefect.resource.role': 'flow-run',
        'prefect.resource.name': run.flow_run_name,
      },
    ],
    payload: JSON.stringify({
      intended: { from: run.state_type, to: state.type },
      initial_state: { type: run.state_type, name: run.state_name, message: run.state_message ?? '' },
      validated_state: { type: state.type, name: state.name, message: state.message },
    }),
    // The last state is at least ten minutes old, so timestamps give the order. It may not have an event.
    follows: null,
  }
}
