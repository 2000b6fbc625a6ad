import { isTerminal } from '@millrace/contracts/state.ts'
import { type Micros, toMicros } from '../lib/time.ts'
import type { FlowRunSnapshot, RunSnapshot, RunState, TaskRunSnapshot } from './rule.ts'
import { copyAsNew, type StateContext, withDetails } from './states.ts'

/** The state as it is written for a flow run: it says whose it is, and comes after the state before it. */
export function stampFlowRunState(run: FlowRunSnapshot, state: RunState): RunState {
  const task_run_id = run.parent_task_run_id ?? state.state_details.task_run_id
  return { ...state, timestamp: monotonicTimestamp(run.state, state), state_details: { ...state.state_details, flow_run_id: run.id, task_run_id } }
}

/** The state as it is written for a task run: it says whose it is, and comes after the state before it. */
export function stampTaskRunState(run: TaskRunSnapshot, state: RunState): RunState {
  const { flow_run_id, id: task_run_id } = run
  return { ...state, timestamp: monotonicTimestamp(run.state, state), state_details: { ...state.state_details, flow_run_id, task_run_id } }
}

/** The flow run once the stamped state is written. Resuming, it goes on with the attempt it was in. */
export function enterFlowRunState(run: FlowRunSnapshot, state: RunState): FlowRunSnapshot {
  const { empirical_policy, run_count } = run
  const isRunning = state.type === 'RUNNING'
  return {
    ...run,
    ...timesAfterEntering(run, state),
    state,
    run_count: isRunning && !empirical_policy.resuming ? run_count + 1 : run_count,
    empirical_policy:
      empirical_policy.resuming && (isRunning || isTerminal(state.type)) ? { ...empirical_policy, resuming: false } : empirical_policy,
  }
}

/** The task run once the stamped state is written. */
export function enterTaskRunState(run: TaskRunSnapshot, state: RunState): TaskRunSnapshot {
  return { ...run, ...timesAfterEntering(run, state), state, run_count: state.type === 'RUNNING' ? run.run_count + 1 : run.run_count }
}

/** The state that the task standing for a subflow in its parent takes over, by force; undefined for a run that is no subflow. */
export function parentTaskState(stateContext: StateContext, run: FlowRunSnapshot, state: RunState): RunState | undefined {
  return run.parent_task_run_id === null ? undefined : withDetails(copyAsNew(stateContext, state), { child_flow_run_id: run.id })
}

type RunTimeColumns = Pick<RunSnapshot, 'start_time' | 'end_time' | 'expected_start_time' | 'next_scheduled_start_time' | 'total_run_time'>

function timesAfterEntering(run: RunSnapshot, state: RunState): RunTimeColumns {
  const { timestamp, type } = state
  const hasEnded = isTerminal(type)
  const scheduledTime = type === 'SCHEDULED' ? scheduledTimeOf(state) : null
  return {
    // Whatever ended without ever running started and ended at once, so that it has a place in time.
    start_time: run.start_time ?? (type === 'RUNNING' || hasEnded ? timestamp : null),
    // From one end to another the first one stands.
    end_time: hasEnded ? (run.end_time ?? timestamp) : null,
    expected_start_time: run.expected_start_time ?? scheduledTime ?? timestamp,
    next_scheduled_start_time: scheduledTime,
    total_run_time: run.state?.type === 'RUNNING' ? run.total_run_time + (timestamp - run.state.timestamp) : run.total_run_time,
  }
}

function scheduledTimeOf(state: RunState): Micros {
  const { scheduled_time } = state.state_details
  return scheduled_time ? toMicros(scheduled_time) : state.timestamp
}

/** No two states of a run at one time, and none before its forerunner: clocks of several servers differ, and history is read in this order. */
function monotonicTimestamp(current: RunState | null, state: RunState): Micros {
  return current && state.timestamp <= current.timestamp ? current.timestamp + 1 : state.timestamp
}
