import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { startStopwatch } from './stopwatch.ts'

test('leaves out the time that a hypervisor took from each core', () => {
  const times = [1000, 5000]
  const readings = [10, 10 + 1.5 * availableParallelism()].map((stolenSeconds) => ({ busySeconds: 0, stolenSeconds }))
  const stop = startStopwatch(
    () => times.shift() as number,
    () => readings.shift(),
  )
  expect(stop()).toBe(2500)
})

test('is the time itself where the system does not tell what was taken', () => {
  const times = [1000, 5000]
  const stop = startStopwatch(
    () => times.shift() as number,
    () => undefined,
  )
  expect(stop()).toBe(4000)
})
