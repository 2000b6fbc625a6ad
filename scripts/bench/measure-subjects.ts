import { randomUUID } from 'node:crypto'
import { allMeasurements, isTrial, type Measurement, selectMeasurements } from '../../packages/bench/src/all-workloads.ts'
import { type Figures, figureKey, toFigure } from '../../packages/bench/src/results.ts'
import { type MeasuredResult, measure, openBench } from '../../packages/bench/src/run-bench.ts'
import type { BenchHost } from './host.ts'
import { createSubject, type RunningSubject, type Subject, type SubjectName } from './subjects.ts'

/** Workloads of a subject at one number of users. */
export interface Plan {
  readonly users: number
  /** All that are not trials, when left out. */
  readonly only?: readonly string[]
}

export interface MeasureOptions {
  /** Name of the section. Each has its own databases. */
  readonly label: string
  readonly seconds: number
  readonly repeats: number
  readonly signal: AbortSignal
  readonly log: (line: string) => void
}

/** Seeded flow runs: enough for every workload, and few enough for the API of the reference. */
export const seededRuns = 1000

const prefix = 'bench'

/**
 * Measures subjects one after the other, in the opposite order in every second round, so that a slow drift of the machine meets all of them. Returns
 * the medians of all rounds.
 */
export async function measureSubjects(
  host: BenchHost,
  plans: Readonly<Partial<Record<SubjectName, readonly Plan[]>>>,
  options: MeasureOptions,
): Promise<Record<string, Figures>> {
  const subjects = (Object.keys(plans) as SubjectName[]).map((name) => createSubject(host, name, `${options.label}_${name}`))
  const collected = new Map<string, Map<string, MeasuredResult[]>>()
  for (let round = 0; round < options.repeats; round += 1) {
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      options.log(`\n${subject.name}${options.repeats > 1 ? `, round ${round + 1} of ${options.repeats}` : ''}`)
      const results = collected.get(subject.name) ?? new Map<string, MeasuredResult[]>()
      collected.set(subject.name, results)
      await measureOnce(subject, plans[subject.name as SubjectName] ?? [], options, results)
    }
  }
  return Object.fromEntries([...collected].map(([name, results]) => [name, toFigures(results)]))
}

export const toFigures = (results: ReadonlyMap<string, readonly MeasuredResult[]>): Figures =>
  Object.fromEntries([...results].map(([key, repeated]) => [key, toFigure(repeated)]))

async function measureOnce(subject: Subject, plans: readonly Plan[], options: MeasureOptions, results: Map<string, MeasuredResult[]>): Promise<void> {
  const running = await subject.start()
  try {
    await measureRunning(running, plans, options, results)
  } finally {
    await running.stop()
  }
}

/** Seeds a server and runs the plans on it. */
export async function measureRunning(
  running: RunningSubject,
  plans: readonly Plan[],
  options: MeasureOptions,
  results: Map<string, MeasuredResult[]>,
): Promise<void> {
  const { urls, groups, counters } = running
  const { seconds, signal, log } = options
  const context = await openBench({ urls, prefix, stamp: randomUUID().slice(0, 8), runs: seededRuns, signal })
  try {
    const all = allMeasurements(context)
    log(lineOf(['workload', 'users', 'per second', 'p50 ms', 'p95 ms', 'p99 ms', 'errors', 'CPU ms', 'client', 'machine']))
    for (const { users, only } of plans) {
      const chosen = only ? selectMeasurements(all, only) : all.filter((each) => !isTrial(each))
      // The reference slows down after it: the last of all plans.
      for (const measurement of last(chosen, 'bulk.cancel')) {
        signal.throwIfAborted()
        const result = await measure(measurement, { urls, users, seconds, groups, signal, ...(counters && { counters }) })
        const key = figureKey(result.name, users)
        results.set(key, [...(results.get(key) ?? []), result])
        log(describeResult(result))
      }
    }
  } finally {
    context.setup.close()
  }
}

const last = (measurements: readonly Measurement[], name: string): Measurement[] =>
  measurements.toSorted((a, b) => Number(a.name === name) - Number(b.name === name))

const widths = [32, 6, 12, 9, 9, 9, 7, 9, 7]

const lineOf = (cells: readonly string[]): string =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(widths[0] as number) : cell.padStart(widths[index] ?? 0))).join(' ')

export function describeResult(result: MeasuredResult): string {
  if (result.failure !== undefined) return `${result.name.padEnd(widths[0] as number)} failed: ${result.failure}`
  const { name, users, unitsPerSecond, latencyMs, errors, usage, clientCores, disturbance, errorKinds, stored } = result
  const cpu = usage ? Object.values(usage).reduce((sum, { cpuMsPerOperation }) => sum + cpuMsPerOperation, 0) : undefined
  const machine = disturbance?.isBusy
    ? `busy: ${disturbance.foreignCores} cores by others, ${(disturbance.stealShare * 100).toFixed(0)} % stolen`
    : ''
  const cells = [users, unitsPerSecond, latencyMs?.p50, latencyMs?.p95, latencyMs?.p99, errors, cpu && Number(cpu.toPrecision(3)), clientCores]
  const notes = [
    ...(stored ? [`  stored ${stored.visible} of ${stored.sent}, ${stored.perSecond} per second`] : []),
    ...Object.entries(errorKinds ?? {}).map(([kind, count]) => `  ${count} × ${kind}`),
  ]
  return [`${lineOf([name, ...cells.map((cell) => String(cell ?? '-'))])} ${machine}`.trimEnd(), ...notes].join('\n')
}
