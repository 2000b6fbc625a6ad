import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { allMeasurements, isTrial, type Measurement, selectMeasurements } from '../../packages/bench/src/all-workloads.ts'
import { type ProcessGroups, readUsage } from '../../packages/bench/src/process-usage.ts'
import { type Figures, figureKey, toFigure } from '../../packages/bench/src/results.ts'
import { type MeasuredResult, measure, openBench } from '../../packages/bench/src/run-bench.ts'
import type { BenchHost } from './host.ts'
import { createSubject, type RunningSubject, type Subject, type SubjectName } from './subjects.ts'

/** Workloads of a subject at one number of users. */
export interface Plan {
  readonly users: number
  /** All that are not trials, when left out. */
  readonly only?: readonly string[]
  /** Shortest time of each workload, also in the warm-up. */
  readonly secondsMin?: number
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
async function measureRunning(
  running: RunningSubject,
  plans: readonly Plan[],
  options: MeasureOptions,
  results: Map<string, MeasuredResult[]>,
): Promise<void> {
  const seeded = await seed(running, plans, options)
  try {
    options.log(resultsHeader)
    for (const plan of plans) for (const name of seeded.namesOf(plan)) await seeded.measure(name, plan, results)
  } finally {
    seeded.close()
  }
}

/** A server with the rows that the workloads need, after its warm-up. */
export interface SeededSubject {
  /** The workloads of a plan, in their order. */
  namesOf(plan: Plan): string[]
  /** Adds the result of one workload to `results`. */
  measure(name: string, plan: Plan, results: Map<string, MeasuredResult[]>): Promise<void>
  close(): void
}

export async function seed(running: RunningSubject, plans: readonly Plan[], { seconds, signal, log }: MeasureOptions): Promise<SeededSubject> {
  const { urls, groups, counters } = running
  const context = await openBench({ urls, prefix, stamp: randomUUID().slice(0, 8), runs: seededRuns, signal })
  const all = allMeasurements(context)
  const run = (measurement: Measurement, { users, secondsMin = 0 }: Plan) =>
    measure(measurement, { urls, users, seconds: Math.max(seconds, secondsMin), groups, signal, ...(counters && { counters }) })
  const seeded: SeededSubject = {
    // The reference slows down after it: the last of all plans.
    namesOf: (plan) => last(choose(all, plan), 'bulk.cancel').map(({ name }) => name),
    async measure(name, plan, results) {
      const measurement = all.find((each) => each.name === name) as Measurement
      const result = await leastDisturbed(async () => {
        await waitUntilIdle(groups, signal)
        return run(measurement, plan)
      })
      const key = figureKey(result.name, plan.users)
      results.set(key, [...(results.get(key) ?? []), result])
      log(describeResult(result))
    },
    close: () => context.setup.close(),
  }
  try {
    const warmUpSeconds = Math.max(warmUpSecondsMin, ...plans.map(({ secondsMin = 0 }) => secondsMin))
    const wanted = new Set(plans.flatMap((plan) => choose(all, plan)))
    for (const measurement of warmUpWorkloads(all))
      if (wanted.has(measurement)) await run(measurement, { users: warmUpUsers, secondsMin: warmUpSeconds })
    running.onWarm?.()
    return seeded
  } catch (error) {
    seeded.close()
    throw error
  }
}

/** Attempts to measure while the machine is quiet. */
const attemptsMax = 3

/** Repeats a measurement during which the machine was busy with something else. Returns the least disturbed one, or the first with errors: they always count. */
export async function leastDisturbed(run: () => Promise<MeasuredResult>): Promise<MeasuredResult> {
  const disturbance = (result: MeasuredResult) => (result.disturbance?.stealShare ?? 0) + (result.disturbance?.foreignCores ?? 0)
  const hasErrors = (result: MeasuredResult) => result.failure !== undefined || result.errors > 0
  let best = await run()
  for (let attempt = 2; best.disturbance?.isBusy && !hasErrors(best) && attempt <= attemptsMax; attempt += 1) {
    const next = await run()
    if (hasErrors(next) || disturbance(next) < disturbance(best)) best = next
  }
  return best
}

const choose = (all: readonly Measurement[], { only }: Plan): Measurement[] =>
  only ? selectMeasurements(all, only) : all.filter((each) => !isTrial(each))

/** A server that just started compiles its hot paths during its first requests. After three seconds of each workload it still does. */
const warmUpUsers = 16
const warmUpSecondsMin = 8
const warmUpWorkloads = (all: readonly Measurement[]): Measurement[] => selectMeasurements(all, ['lifecycle', 'one_task_run', 'tasks'])

const idleCores = 0.1
const idleProbeMs = 400
const idleWaitMsMax = 15_000

/** Waits for the background work that one measurement leaves to the next, such as 200,000 events to compress. */
export async function waitUntilIdle(groups: ProcessGroups, signal: AbortSignal): Promise<void> {
  const cpuSeconds = () => Object.values(groups).reduce((sum, roots) => sum + (readUsage(roots)?.cpuSeconds ?? 0), 0)
  for (let waitedMs = 0; waitedMs < idleWaitMsMax; waitedMs += idleProbeMs) {
    signal.throwIfAborted()
    const before = cpuSeconds()
    await pause(idleProbeMs)
    if (cpuSeconds() - before <= (idleCores * idleProbeMs) / 1000) return
  }
}

const last = (measurements: readonly Measurement[], name: string): Measurement[] =>
  measurements.toSorted((a, b) => Number(a.name === name) - Number(b.name === name))

const widths = [32, 6, 12, 9, 9, 9, 7, 9, 7]

const lineOf = (cells: readonly string[]): string =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(widths[0] as number) : cell.padStart(widths[index] ?? 0))).join(' ')

export const resultsHeader = lineOf(['workload', 'users', 'per second', 'p50 ms', 'p95 ms', 'p99 ms', 'errors', 'CPU ms', 'client', 'machine'])

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
