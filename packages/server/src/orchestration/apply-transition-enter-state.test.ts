import { describe, expect, test } from 'vitest'
import { aFlowRun, aState, aTaskRun, at, now, stateContextAt, timeAfter } from '../../test/orchestration-fixtures.ts'
import { enterFlowRunState, enterTaskRunState, parentTaskState, stampFlowRunState, stampTaskRunState } from './apply-transition.ts'
import type { FlowRunSnapshot, RunState } from './rule.ts'

const enter = (run: FlowRunSnapshot, ...states: RunState[]): FlowRunSnapshot => states.reduce(enterFlowRunState, run)
const second = at(1) - now

describe('stamping sets the run ids', () => {
  const sent = { flow_run_id: 'wrong', task_run_id: 'wrong', child_flow_run_id: 'child' }

  test('sets the flow run id for a flow run', () => {
    const state = stampFlowRunState(aFlowRun(), aState('RUNNING', { state_details: sent }))
    expect(state.state_details).toMatchObject({ flow_run_id: 'flow-run', task_run_id: 'wrong', child_flow_run_id: 'child' })
  })

  test('sets the parent task run id for a subflow', () => {
    const state = stampFlowRunState(aFlowRun({ parent_task_run_id: 'holder' }), aState('RUNNING', { state_details: sent }))
    expect(state.state_details).toMatchObject({ flow_run_id: 'flow-run', task_run_id: 'holder' })
  })

  test('sets both ids for a task run', () => {
    const inFlow = stampTaskRunState(aTaskRun({ flow_run_id: 'flow-run' }), aState('RUNNING', { state_details: sent }))
    expect(inFlow.state_details).toMatchObject({ flow_run_id: 'flow-run', task_run_id: 'task-run', child_flow_run_id: 'child' })
    const alone = stampTaskRunState(aTaskRun(), aState('RUNNING', { state_details: sent }))
    expect(alone.state_details).toMatchObject({ flow_run_id: null, task_run_id: 'task-run' })
  })
})

test.each([
  ['keeps a later timestamp', -5, 0],
  ['moves an equal timestamp by one microsecond', 0, 1],
  ['moves an earlier timestamp after the current state', 3, 3 * second + 1],
])('%s', (_name, before, micros) => {
  const state = aState('RUNNING', {}, at(before))
  expect(stampFlowRunState(aFlowRun({ state }), aState('COMPLETED')).timestamp).toBe(now + micros)
  expect(stampTaskRunState(aTaskRun({ state }), aState('COMPLETED')).timestamp).toBe(now + micros)
})

describe('the attempt', () => {
  test.each([
    ['rises when the run starts', ['PENDING', 'RUNNING'], 1],
    ['rises when it starts without a claim', ['SCHEDULED', 'RUNNING'], 1],
    ['rises with each start', ['RUNNING', 'RUNNING'], 2],
    ['rises when it waits for a retry, and when that starts', ['RUNNING', 'SCHEDULED', 'PENDING', 'RUNNING'], 3],
    ['rises when a claimed run is scheduled again', ['SCHEDULED', 'PENDING', 'SCHEDULED'], 1],
    ['stays while the run is planned, and when it ends', ['SCHEDULED', 'SCHEDULED', 'CANCELLED'], 0],
    ['stays when it is paused and runs on', ['RUNNING', 'PAUSED', 'RUNNING', 'COMPLETED'], 1],
    ['rises when it is suspended and scheduled again', ['RUNNING', 'PAUSED', 'SCHEDULED'], 2],
  ] as const)('%s', (_name, types, attempt) => {
    expect(enter(aFlowRun(), ...types.map((type) => aState(type))).attempt).toBe(attempt)
  })
})

describe('times', () => {
  const scheduled = aState('SCHEDULED', { state_details: { scheduled_time: timeAfter(60) } })

  test('sets the expected and next start from a scheduled state', () => {
    expect(enter(aFlowRun(), scheduled)).toMatchObject({
      state: scheduled,
      expected_start_time: at(60),
      next_scheduled_start_time: at(60),
      start_time: null,
      end_time: null,
    })
  })

  test('clears the next start and keeps the expected start after a scheduled state', () => {
    const run = enter(aFlowRun(), scheduled, aState('PENDING', {}, at(1)))
    expect(run).toMatchObject({ expected_start_time: at(60), next_scheduled_start_time: null })
  })

  test('keeps the first expected start when scheduled again', () => {
    const again = aState('SCHEDULED', { state_details: { scheduled_time: timeAfter(90) } }, at(1))
    expect(enter(aFlowRun(), scheduled, again)).toMatchObject({ expected_start_time: at(60), next_scheduled_start_time: at(90) })
  })

  test('expects a run without a schedule at its first state', () => {
    expect(enter(aFlowRun(), aState('PENDING', {}, at(2)), aState('RUNNING', {}, at(3)))).toMatchObject({
      expected_start_time: at(2),
      start_time: at(3),
    })
  })

  test('starts and ends a run at the same time if it never ran', () => {
    expect(enter(aFlowRun(), aState('CANCELLED', {}, at(4)))).toMatchObject({ start_time: at(4), end_time: at(4), total_run_time: 0 })
  })

  test('keeps the first start and end and sums the run time', () => {
    let run = enter(aFlowRun(), aState('RUNNING', {}, at(1)), aState('RUNNING', {}, at(3)), aState('COMPLETED', {}, at(6)))
    expect(run).toMatchObject({ start_time: at(1), end_time: at(6), total_run_time: 5 * second })
    run = enter(run, aState('FAILED', {}, at(7)))
    expect(run).toMatchObject({ end_time: at(6), total_run_time: 5 * second })
    run = enter(run, aState('RUNNING', {}, at(8)))
    expect(run).toMatchObject({ start_time: at(1), end_time: null })
    run = enter(run, aState('CANCELLED', {}, at(10)))
    expect(run).toMatchObject({ start_time: at(1), end_time: at(10), total_run_time: 7 * second })
  })

  test('uses the timestamp of a stored scheduled state without a scheduled time', () => {
    const bare = { ...aState('SCHEDULED', {}, at(5)), state_details: {} }
    expect(enter(aFlowRun(), bare)).toMatchObject({ next_scheduled_start_time: at(5), expected_start_time: at(5) })
  })
})

describe('run_count', () => {
  test.each([
    ['grows with every Running', 1, false, 'RUNNING', 2],
    ['stays while resuming', 1, true, 'RUNNING', 1],
    ['stays for other states', 1, false, 'PAUSED', 1],
    ['grows if the policy has null for resuming', 1, null, 'RUNNING', 2],
  ] as const)('of a flow run %s', (_name, run_count, resuming, type, expected) => {
    expect(enter(aFlowRun({ run_count, empirical_policy: { resuming } }), aState(type)).run_count).toBe(expected)
  })

  test('of a task run grows with every Running', () => {
    const run = enterTaskRunState(enterTaskRunState(aTaskRun(), aState('RUNNING')), aState('RUNNING', {}, at(2)))
    expect(run).toMatchObject({ run_count: 2, total_run_time: 2 * second })
    expect(enterTaskRunState(run, aState('FAILED')).run_count).toBe(2)
  })
})

test.each([
  ['RUNNING', false],
  ['FAILED', false],
  ['PENDING', true],
  ['SCHEDULED', true],
  ['CANCELLING', true],
] as const)('%s sets resuming to %o', (type, resuming) => {
  const policy = enter(aFlowRun({ empirical_policy: { resuming: true, pause_keys: ['k'] } }), aState(type)).empirical_policy
  expect(policy).toMatchObject({ resuming, pause_keys: ['k'] })
})

describe('the parent task run of a subflow', () => {
  test('gets a copy of the state with the id of the subflow', () => {
    const state = aState('RUNNING', { name: 'Own', message: 'm', data: '1' }, at(-1))
    expect(parentTaskState(stateContextAt(), aFlowRun({ parent_task_run_id: 'holder' }), state)).toEqual({
      ...state,
      id: 'id-1',
      timestamp: now,
      state_details: { ...state.state_details, child_flow_run_id: 'flow-run' },
    })
  })

  test('does not exist for other runs', () => {
    expect(parentTaskState(stateContextAt(), aFlowRun(), aState('RUNNING'))).toBeUndefined()
  })
})
