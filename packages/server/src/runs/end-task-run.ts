import type { ServerEvent } from '../lib/server-events.ts'
import { formatTime } from '../lib/time.ts'
import type { RunState } from '../orchestration/rule.ts'
import { withDefaultDetails } from '../orchestration/states.ts'
import type { EndTaskRun } from './command.ts'
import type { Deciding } from './deciding.ts'
import { findRun, taskRunKind } from './kinds.ts'
import { reconciledMark } from './report-order.ts'
import { toStateColumns, toStateRow } from './run-state.ts'
import type { TaskRunRow } from './task-run-rows.ts'

/** Gives a task run the state that it must have ended in when its flow run did, marked so that a state which its client sends later replaces it. */
export function endTaskRun(deciding: Deciding, { id, flowRun }: EndTaskRun): null | Error {
  const { changes, context } = deciding
  const run = findRun(taskRunKind, deciding, id)
  if (run instanceof Error) return run
  const state = inferredState(run, flowRun, context.newId())
  changes.taskRunStates.push({ ...markReconciled(toStateRow(state)), task_run_id: id })
  deciding.setTaskRunColumns(run, {
    end_time: run.end_time ?? flowRun.end_time,
    start_time: run.start_time ?? flowRun.end_time,
    ...markReconciled(toStateColumns(state)),
  })
  changes.events.push(stateEvent(run, flowRun.name, state))
  return null
}

/** Cancelled if the flow run was cancelled; otherwise crashed, because the actual end is unknown. */
function inferredState(run: TaskRunRow, { state_type, end_time }: EndTaskRun['flowRun'], id: string): RunState {
  const cancelled = state_type === 'CANCELLED'
  return {
    id,
    type: cancelled ? 'CANCELLED' : 'CRASHED',
    name: cancelled ? 'Cancelled' : 'Crashed',
    timestamp: end_time,
    message: 'The flow run ended, and this task run sent no state since. Its actual end is unknown.',
    data: null,
    state_details: withDefaultDetails({ flow_run_id: run.flow_run_id, task_run_id: run.id }),
  }
}

const markReconciled = <T extends { state_details: string | null }>(row: T): T => ({
  ...row,
  state_details: `${row.state_details?.slice(0, -1)},${reconciledMark}}`,
})

function stateEvent(run: TaskRunRow, flowRunName: string, state: RunState): ServerEvent {
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
        'prefect.resource.name': flowRunName,
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
