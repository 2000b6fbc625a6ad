import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { connectionsPerProcess, countProcesses, processesProblem } from './processes.ts'

const configOf = (...argv: string[]) => readConfig({}, argv).config
const postgres = ['--database', 'postgres://db/m']

test.each([
  [1, 1],
  [2, 1],
  [4, 2],
  [16, 4],
])('starts a process for two cores up to four on PostgreSQL: %d cores, %d processes', (cores, processes) => {
  expect(countProcesses(configOf(...postgres), cores)).toBe(processes)
})

test('starts as many processes as the flag says', () => {
  expect(countProcesses(configOf(...postgres, '--processes', '6'), 2)).toBe(6)
  expect(countProcesses(configOf(...postgres, '--processes=1'), 8)).toBe(1)
})

test('starts one process for the background services alone', () => {
  expect(countProcesses(configOf(...postgres, '--services-only'), 8)).toBe(1)
})

test('starts one process on SQLite and rejects more', () => {
  expect(countProcesses(configOf(), 8)).toBe(1)
  expect(processesProblem(configOf())).toBeUndefined()
  expect(processesProblem(configOf('--processes', '1'))).toBeUndefined()
  expect(processesProblem(configOf('--processes', '3'))).toMatch(/^Cannot start 3 processes on SQLite.*PostgreSQL/)
  expect(processesProblem(configOf(...postgres, '--processes', '3'))).toBeUndefined()
})

test('rejects a number of processes that is not whole or too large', () => {
  for (const count of ['0', '65', 'two']) expect(() => configOf('--processes', count)).toThrow(/--processes/)
})

test.each([
  [1, 10],
  [2, 5],
  [4, 4],
])('divides the connections among %d processes: %d each', (processes, connections) => {
  expect(connectionsPerProcess(configOf(...postgres), processes)).toBe(connections)
})
