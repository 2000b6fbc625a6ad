import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { describe, expect, test } from 'vitest'
import { assignLanes } from './assign-lanes.ts'
import { countByDisplayState } from './count-by-state.ts'
import { failingWork, lateWork } from './group-work.ts'
import { axisTimes, resolveTimeWindow } from './time-window.ts'

const run = (id: string, deployment: string | null, state_type = 'FAILED', parent: string | null = null) =>
  ({ id, deployment_id: deployment, flow_id: 'flow', state_type, parent_task_run_id: parent }) as FlowRunResponse

describe('failingWork', () => {
  test('lists work whose last run failed, newest first', () => {
    const ended = [run('3', 'a'), run('2', 'b', 'COMPLETED'), run('1', 'b'), run('0', 'a', 'CRASHED'), run('-1', 'a', 'COMPLETED'), run('-2', 'a')]
    expect(failingWork(ended)).toEqual([{ key: 'a', last: ended[0], failures: 2 }])
  })

  test('lists the parent and skips its subflow runs', () => {
    expect(failingWork([run('1', null, 'FAILED', 'a task')])).toEqual([])
  })
})

test('groups late runs by deployment', () => {
  const late = [run('1', 'a'), run('2', 'b'), run('3', 'a')]
  expect(lateWork(late)).toEqual([
    { key: 'a', oldest: late[0], count: 2 },
    { key: 'b', oldest: late[1], count: 1 },
  ])
})

describe('resolveTimeWindow', () => {
  test('consists of whole buckets that contain the present', () => {
    const present = Date.UTC(2030, 0, 1, 12, 17)
    const { start, end, bucketSeconds } = resolveTimeWindow(24, present)
    expect([start, end].map((at) => new Date(at).toISOString())).toEqual(['2029-12-31T12:30:00.000Z', '2030-01-01T15:30:00.000Z'])
    expect((end - start) % (bucketSeconds * 1000)).toBe(0)
    expect(resolveTimeWindow(24, present + 60_000)).toEqual(resolveTimeWindow(24, present))
  })

  test('has axis times that are round in the local zone', () => {
    const window = resolveTimeWindow(6, Date.UTC(2030, 0, 1, 12, 0))
    const kathmandu = 5.75 * 3600
    for (const at of axisTimes(window, 8, kathmandu)) expect((at / 1000 + kathmandu) % 3600).toBe(0)
    expect(axisTimes(window, 8, 0).length).toBeLessThanOrEqual(8)
  })
})

test('assigns lanes without overlap while lanes are free', () => {
  const spans = [
    { from: 0, to: 10 },
    { from: 5, to: 8 },
    { from: 9, to: 12 },
    { from: 12, to: 13 },
  ]
  expect(assignLanes(spans, 1, 10)).toEqual([0, 1, 1, 0])
  expect(assignLanes(spans, 1, 1)).toEqual([0, 0, 0, 0])
})

test('counts Late apart from Scheduled', () => {
  const state = (state_type: 'SCHEDULED', state_name: string, count_runs: number) => ({
    state_type,
    state_name,
    count_runs,
    sum_estimated_run_time: 0,
    sum_estimated_lateness: 0,
  })
  const states = [state('SCHEDULED', 'Late', 2), state('SCHEDULED', 'Scheduled', 3), state('SCHEDULED', 'AwaitingRetry', 1)]
  expect([...countByDisplayState([{ interval_start: '', interval_end: '', states }])]).toEqual([
    ['late', 2],
    ['scheduled', 4],
  ])
})
