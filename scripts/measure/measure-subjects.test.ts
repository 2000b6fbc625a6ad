import { expect, test } from 'vitest'
import { stealShareMax } from '../../packages/bench/src/machine.ts'
import type { MeasuredResult } from '../../packages/bench/src/run-bench.ts'
import { leastDisturbed } from './measure-subjects.ts'

/** Measurements during which the hypervisor took these shares of the CPU. */
function measurements(shares: readonly number[], errors: readonly number[] = []): { run: () => Promise<MeasuredResult>; count: () => number } {
  let taken = 0
  return {
    run: async () => {
      const stealShare = shares[taken] as number
      taken += 1
      return {
        name: `attempt ${taken}`,
        errors: errors[taken - 1] ?? 0,
        disturbance: { foreignCores: 0, stealShare, load: 1, isBusy: stealShare > stealShareMax },
      } as MeasuredResult
    },
    count: () => taken,
  }
}

test.each([
  { shares: [0.01], best: 1, attempts: 1 },
  { shares: [0.2, 0.01], best: 2, attempts: 2 },
  { shares: [0.2, 0.05, 0.1], best: 2, attempts: 3 },
  { shares: [0.05, 0.2, 0.1], best: 1, attempts: 3 },
])('measures again while the machine is busy, and keeps the least disturbed of $shares', async ({ shares, best, attempts }) => {
  const { run, count } = measurements(shares)
  expect((await leastDisturbed(run)).name).toBe(`attempt ${best}`)
  expect(count()).toBe(attempts)
})

test('keeps a measurement with errors, however disturbed it was', async () => {
  const first = measurements([0.2, 0.01], [1])
  expect((await leastDisturbed(first.run)).name).toBe('attempt 1')
  const second = measurements([0.1, 0.2, 0.01], [0, 1])
  expect((await leastDisturbed(second.run)).name).toBe('attempt 2')
  expect(second.count()).toBe(2)
})
