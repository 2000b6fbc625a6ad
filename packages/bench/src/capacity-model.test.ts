import { expect, test } from 'vitest'
import { readResults } from '../../../scripts/measure/results-file.ts'
import { type CostCurve, costAt, costCurve, deploymentCapacity, modelPoints, predictRate } from './capacity-model.ts'
import type { Figure, Results } from './results.ts'

const curve: CostCurve = {
  costs: [
    { users: 1, client: 1, server: 4, database: 4, commits: 4 },
    { users: 16, client: 1, server: 1, database: 2, commits: 0.5 },
  ],
  waitMs: 1,
  utilisation: 0.8,
  walBytes: 20_000,
  shareFactors: { server: 1, database: 1, commits: 1 },
}

test('interpolates costs between measured numbers of users, and not beyond them', () => {
  expect(costAt(curve, 4)).toMatchObject({ client: 1, server: 2 })
  expect(costAt(curve, 4).database).toBeCloseTo(Math.sqrt(8))
  expect(costAt(curve, 1000)).toEqual(curve.costs[1])
  expect(costAt(curve, 0.5)).toEqual(curve.costs[0])
})

test('limits one user by the latency, and many by the cores', () => {
  expect(predictRate(curve, { cores: 64, processes: 8, users: 1 })).toBeCloseTo(100, 0)
  const many = predictRate(curve, { cores: 2, processes: 1, users: 64 })
  expect(many).toBeGreaterThan(350)
  expect(many).toBeLessThan(400)
})

test('limits a process by its thread when cores are free', () => {
  const heavy: CostCurve = { ...curve, costs: [{ users: 1, client: 0.1, server: 5, database: 0.1, commits: 1 }], waitMs: 0 }
  const [one, two] = [1, 2].map((processes) => predictRate(heavy, { cores: 16, processes, users: 64 })) as [number, number]
  expect(one).toBeCloseTo(200, -1)
  expect(two / one).toBeGreaterThan(1.9)
})

test('expects several processes to leave the cores idle less often than one', () => {
  const rateOf = (processes: number) => predictRate({ ...curve, utilisation: 0.6 }, { cores: 2, processes, users: 640 }, curve.costs[1])
  expect(rateOf(2) / rateOf(1)).toBeCloseTo(0.84 / 0.6, 1)
})

test('expects each of several servers to need more for an operation, as measured with two', () => {
  const figures = { 'lifecycle@1': figure(1, 100, 4, 4, 0.1), 'lifecycle@8': figure(8, 400, 1, 1, 0.1) }
  const alone = costCurve(figures, 'lifecycle', 2)
  const shared = costCurve(figures, 'lifecycle', 2, { 'lifecycle@16': figure(16, 400, 1.5, 2, 0.1) })
  expect(shared?.shareFactors).toMatchObject({ server: 1.5, database: 2 })
  const capacityOf = (each: CostCurve | undefined, replicas: number) =>
    deploymentCapacity(each as CostCurve, { replicas, databaseCores: 64, diskMbPerSecond: 1e6, lockMs: 0.001 }).perSecond
  expect(capacityOf(shared, 1)).toBe(capacityOf(alone, 1))
  expect(capacityOf(shared, 3)).toBeCloseTo(capacityOf(alone, 3) / 1.5)
})

test('names what limits a deployment', () => {
  const setup = { replicas: 1, databaseCores: 2, diskMbPerSecond: 200, lockMs: 0.5 }
  const small = deploymentCapacity(curve, setup)
  expect(small).toMatchObject({ limit: 'servers', perSecond: 700, perDay: 700 * 86_400 })
  expect(deploymentCapacity(curve, { ...setup, replicas: 4 }).limit).toBe('database')
  expect(deploymentCapacity(curve, { ...setup, replicas: 64, databaseCores: 64 })).toMatchObject({ limit: 'lock', perSecond: 2800 })
  expect(deploymentCapacity(curve, { ...setup, replicas: 64, databaseCores: 64, diskMbPerSecond: 10 }).limit).toBe('wal')
})

const figure = (users: number, per_second: number, server: number, database: number, client_cores: number, foreign_cores = 0): Figure => ({
  unit: 'runs',
  users,
  per_second,
  p50_ms: (users * 1000) / per_second,
  p95_ms: null,
  p99_ms: null,
  errors: 0,
  cpu_ms: { server, database },
  client_cores,
  foreign_cores,
  repeats: 1,
})

/** Measured on PostgreSQL with two cores, for half a second each. Other processes used a third of a core during the measurement of two processes. */
const measured: Results = {
  format: 1,
  sections: {
    postgres: {
      measured: '2030-01-01T00:00:00Z',
      machine: { cores: 2, processor: '', memory_gb: 8, kernel: '', node: '' },
      versions: {},
      seconds: 1,
      repeats: 1,
      subjects: {
        'millrace-postgres': {
          'lifecycle@1': figure(1, 66.2, 7.65, 6.47, 0.135),
          'lifecycle@4': figure(4, 113, 5, 7.17, 0.158),
          'lifecycle@16': figure(16, 293, 2.04, 2.74, 0.196),
          'lifecycle@64': figure(64, 491, 1.42, 1.49, 0.277),
        },
        'millrace-postgres-2': { 'lifecycle@16': figure(16, 122, 6.41, 5.64, 0.12, 0.33) },
      },
    },
  },
}

test('reproduces measured rates within 20 % from the CPU per operation', () => {
  const points = modelPoints(measured)
  expect(points.map(({ users, processes }) => [users, processes])).toEqual([
    [1, 1],
    [4, 1],
    [16, 1],
    [64, 1],
    [16, 2],
  ])
  expect(points.filter(({ deviation }) => Math.abs(deviation) > 0.2)).toEqual([])
})

test('has no curve without the figure of one user', () => {
  expect(costCurve({ 'lifecycle@16': figure(16, 293, 2.04, 2.74, 0.2) }, 'lifecycle', 2)).toBeUndefined()
})

test('reproduces the committed results within 20 %, except those of a busy machine', () => {
  const results = readResults()
  const points = results.is_provisional ? [] : modelPoints(results).filter(({ isBusy }) => !isBusy)
  expect(points.filter(({ deviation }) => Math.abs(deviation) > 0.2)).toEqual([])
})
