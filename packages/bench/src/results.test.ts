import { expect, test } from 'vitest'
import { median, toFigure } from './results.ts'
import type { MeasuredResult } from './run-bench.ts'

const result = (unitsPerSecond: number, more: Partial<MeasuredResult> = {}): MeasuredResult => ({
  name: 'lifecycle',
  unit: 'runs',
  users: 16,
  seconds: 1,
  operations: 100,
  perSecond: unitsPerSecond,
  unitsPerSecond,
  latencyMs: { p50: 1000 / unitsPerSecond, p95: 2, p99: 3, max: 4 },
  errors: 0,
  clientCores: 0.2,
  ...more,
})
const busy = { disturbance: { foreignCores: 0.9, stealShare: 0, load: 2, isBusy: true } }

test('takes the middle of an odd and of an even number of values', () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5])
})

test('takes medians of rates, CPU and counters, and the sum of errors', () => {
  const usage = (cpuMsPerOperation: number) => ({
    usage: { server: { cores: 1, cpuMsPerOperation, rssMb: 100 }, database: { cores: 1, cpuMsPerOperation: 2, rssMb: 50 } },
  })
  const figure = toFigure([
    result(100, { ...usage(1), counters: { commits: 1 } }),
    result(300, { ...usage(3), counters: { commits: 3 }, errors: 2 }),
    result(200, { ...usage(2), counters: { commits: 2 } }),
  ])
  expect(figure).toEqual({
    unit: 'runs',
    users: 16,
    per_second: 200,
    p50_ms: 5,
    p95_ms: 2,
    p99_ms: 3,
    errors: 2,
    cpu_ms: { server: 2, database: 2 },
    client_cores: 0.2,
    memory_mb: 150,
    counters: { commits: 2 },
    repeats: 3,
  })
})

test('marks a figure if most of its repetitions were disturbed', () => {
  expect(toFigure([result(1, busy), result(1, busy), result(1)]).is_busy).toBe(true)
  expect(toFigure([result(1, busy), result(1), result(1)]).is_busy).toBeUndefined()
})

test('keeps the failure only if no repetition worked', () => {
  const failed = result(0, { failure: 'timeout', errors: 1, latencyMs: undefined })
  expect(toFigure([failed, result(100)])).toMatchObject({ per_second: 100, errors: 1 })
  expect(toFigure([failed, result(100)]).failure).toBeUndefined()
  expect(toFigure([failed, failed])).toMatchObject({ failure: 'timeout', per_second: 0, p50_ms: null })
})
