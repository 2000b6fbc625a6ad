import type { TaskRun } from '@millrace/contracts/task-run.ts'
import { describe, expect, test } from 'vitest'
import { joinTasks, relativeChange } from './compare-runs.ts'
import { diffValues } from './diff-values.ts'

describe('parameters', () => {
  test('are compared by member when both are objects or lists', () => {
    const a = { region: 'eu', options: { full: true, tables: ['a', 'b'] }, only: 1 }
    const b = { region: 'eu', options: { full: false, tables: ['a'] } }
    expect(diffValues(a, b)).toEqual([
      { path: 'region', a: 'eu', b: 'eu', same: true },
      { path: 'options.full', a: true, b: false, same: false },
      { path: 'options.tables.0', a: 'a', b: 'a', same: true },
      { path: 'options.tables.1', a: 'b', b: undefined, same: false },
      { path: 'only', a: 1, b: undefined, same: false },
    ])
  })

  test('are compared as a whole when their types differ', () => {
    expect(diffValues({ x: [1] }, { x: { 0: 1 } })).toEqual([{ path: 'x', a: [1], b: { 0: 1 }, same: false }])
    expect(diffValues({ x: [] }, { x: [] })).toEqual([{ path: 'x', a: [], b: [], same: true }])
    expect(diffValues({ constructor: 1 }, {})).toEqual([{ path: 'constructor', a: 1, b: undefined, same: false }])
  })
})

describe('tasks', () => {
  const task = (task_key: string, name: string, total_run_time: number, state_type = 'COMPLETED') =>
    ({ task_key, name, total_run_time, state_type }) as TaskRun

  test('are joined by key, with mapped runs combined', () => {
    const a = [task('extract-1', 'extract-0', 2), task('extract-1', 'extract-1', 3, 'FAILED'), task('old-1', 'old-0', 1)]
    const b = [task('extract-1', 'extract-0', 4), task('new-1', 'new-7af', 9)]
    expect(joinTasks(a, b)).toEqual([
      { key: 'extract-1', name: 'extract', a: { runs: 2, seconds: 5, failed: 1 }, b: { runs: 1, seconds: 4, failed: 0 } },
      { key: 'old-1', name: 'old', a: { runs: 1, seconds: 1, failed: 0 }, b: undefined },
      { key: 'new-1', name: 'new', a: undefined, b: { runs: 1, seconds: 9, failed: 0 } },
    ])
  })

  test('have a relative change', () => {
    expect([relativeChange(2, 3), relativeChange(2, 2), relativeChange(0, 1), relativeChange(undefined, 1), relativeChange(2, undefined)]).toEqual([
      0.5,
      0,
      undefined,
      undefined,
      undefined,
    ])
  })
})
