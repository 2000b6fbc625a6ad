import { expect, test } from 'vitest'
import { describeDisturbance, describeMachine, parseMachineTime } from './machine.ts'
import { parseStat, readUsage } from './process-usage.ts'

const seconds = 10
const reading = (busySeconds: number, stolenSeconds = 0) => ({ busySeconds, stolenSeconds })

test('reads the CPU time of the machine', () => {
  expect(parseMachineTime('cpu  100 20 30 4000 500 6 7 80 0 0\ncpu0 1 2 3')).toEqual({ busySeconds: 1.63, stolenSeconds: 0.8 })
})

test('is quiet while only the measurement computes', () => {
  expect(describeDisturbance(reading(100), reading(119), seconds, 18.5, 2)).toMatchObject({ foreignCores: 0.05, stealShare: 0, isBusy: false })
})

test('is busy when other processes or other machines compute', () => {
  expect(describeDisturbance(reading(100), reading(119), seconds, 14, 2)).toMatchObject({ foreignCores: 0.5, isBusy: true })
  expect(describeDisturbance(reading(100), reading(110, 1), seconds, 10, 2)).toMatchObject({ stealShare: 0.05, isBusy: true })
})

test('describes the machine without its name', () => {
  expect(Object.keys(describeMachine())).toEqual(['cores', 'processor', 'memory_gb', 'kernel', 'node'])
  expect(describeMachine().kernel).toMatch(/^\w+ [\d.]+$/)
})

test('reads the status of a process whose name has spaces and brackets', () => {
  const fields = ['S', '7', ...Array.from({ length: 9 }, () => '0'), '10', '20', '3', '4', '0']
  expect(parseStat(`42 (a (b) c) ${fields.join(' ')}`)).toEqual({ parent: 7, ticks: 37 })
  expect(parseStat('')).toBeUndefined()
})

test('sums CPU and memory of a process with its children', () => {
  const usage = readUsage([process.pid])
  expect(usage?.processes).toBeGreaterThan(0)
  expect(usage?.cpuSeconds).toBeGreaterThan(0)
  expect(usage?.rssMb).toBeGreaterThan(10)
  expect(readUsage([2 ** 30])?.processes).toBe(0)
})
