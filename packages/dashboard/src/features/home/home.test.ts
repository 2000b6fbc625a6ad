import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { describe, expect, test } from 'vitest'
import { assignLanes } from './assign-lanes.ts'
import { countByDisplayState } from './count-by-state.ts'
import { failingWork } from './group-work.ts'
import { lateWork } from './late-work.ts'
import { axisTimes, resolveTimeWindow } from './time-window.ts'

const run = (id: string, deployment: string | null, state_type = 'FAILED', parent: string | null = null) =>
  ({ id, deployment_id: deployment, flow_id: 'flow', state_type, parent_task_run_id: parent }) as FlowRunResponse

describe('failing work', () => {
  test('is what failed last and has not succeeded since, newest first', () => {
    const ended = [run('3', 'a'), run('2', 'b', 'COMPLETED'), run('1', 'b'), run('0', 'a', 'CRASHED'), run('-1', 'a', 'COMPLETED'), run('-2', 'a')]
    expect(failingWork(ended)).toEqual([{ key: 'a', last: ended[0], failures: 2 }])
  })

  test('is told by the parent, not by its sub-flows', () => {
    expect(failingWork([run('1', null, 'FAILED', 'a task')])).toEqual([])
  })
})

test('late runs stand together by what they run', () => {
  const late = [run('1', 'a'), run('2', 'b'), run('3', 'a')]
  expect(lateWork(late)).toEqual([
    { key: 'a', oldest: late[0], count: 2 },
    { key: 'b', oldest: late[1], count: 1 },
  ])
})

describe('the window', () => {
  test('is made of whole buckets, with the present in one of them', () => {
    const present = Date.UTC(2030, 0, 1, 12, 17)
    const { start, end, bucketSeconds } = resolveTimeWindow(24, present)
    expect([start, end].map((at) => new Date(at).toISOString())).toEqual(['2029-12-31T12:30:00.000Z', '2030-01-01T15:30:00.000Z'])
    expect((end - start) % (bucketSeconds * 1000)).toBe(0)
    expect(resolveTimeWindow(24, present + 60_000)).toEqual(resolveTimeWindow(24, present))
  })

  test('has round times on its axis, round where the person is', () => {
    const window = resolveTimeWindow(6, Date.UTC(2030, 0, 1, 12, 0))
    const kathmandu = 5.75 * 3600
    for (const at of axisTimes(window, 8, kathmandu)) expect((at / 1000 + kathmandu) % 3600).toBe(0)
    expect(axisTimes(window, 8, 0).length).toBeLessThanOrEqual(8)
  })
})

test('no two strokes of a lane lie over each other while there are lanes', () => {
  const spans = [
    { from: 0, to: 10 },
    { from: 5, to: 8 },
    { from: 9, to: 12 },
    { from: 12, to: 13 },
  ]
  expect(assignLanes(spans, 1, 10)).toEqual([0, 1, 1, 0])
  expect(assignLanes(spans, 1, 1)).toEqual([0, 0, 0, 0])
})

test('runs are counted by how they look: Late stands apart from Scheduled', () => {
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
