import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { allMeasurements, readOnlyNames } from '../../packages/bench/src/all-workloads.ts'
import { runLoop } from '../../packages/bench/src/closed-loop.ts'
import { type Figures, figureKey } from '../../packages/bench/src/results.ts'
import { type MeasuredResult, openBench } from '../../packages/bench/src/run-bench.ts'
import type { Workload } from '../../packages/bench/src/workload.ts'
import { repositoryRoot } from '../repository.ts'
import type { BenchHost } from './host.ts'
import { measureInTurn, type SideBySide, startSideBySide, stopAll } from './in-turn.ts'
import { describeResult, type MeasureOptions, type Plan, seededRuns, toFigures } from './measure-subjects.ts'
import type { BenchSettings } from './options.ts'
import { createSubject, databaseUrlOf, type RunningSubject, type SubjectName } from './subjects.ts'

/** Few, so that latencies show the work of a query and not a queue. */
const growthUsers = 4
/** Task runs and logs of each filled run. */
const perRun = 10

const fillScript = join(repositoryRoot, 'scripts/measure/fill-database.ts')

/**
 * Measures every read workload on databases of each size. The filled rows are older than the seeded ones that the workloads ask for. The sizes take turns with
 * each workload, so that a machine whose speed changes meets all of them.
 */
export async function measureGrowth(
  host: BenchHost,
  { databases, sizes, only }: BenchSettings,
  options: MeasureOptions,
  onFigures: (label: string, figures: Figures) => Promise<void>,
): Promise<void> {
  const plan = { users: growthUsers, only: only.length > 0 ? only : readOnlyNames() }
  for (const database of databases) {
    const subjects: SideBySide[] = []
    try {
      for (const size of sizes) subjects.push(await startSized(host, `millrace-${database}` as SubjectName, size, plan, options))
      await measureInTurn(subjects, plan, options)
      for (const { label, running, results } of only.length === 0 ? subjects : []) {
        const during = await healthDuringHistory(running, options)
        options.log(`${describeResult(during)}  ${label}`)
        results.set(figureKey(during.name, during.users), [during])
      }
      for (const { label, results } of subjects) await onFigures(label, toFigures(results))
    } finally {
      await stopAll(subjects)
    }
  }
}

/** Fills, starts and seeds a database of this size. */
async function startSized(host: BenchHost, name: SubjectName, size: number, plan: Plan, options: MeasureOptions): Promise<SideBySide> {
  const label = `${name}:${size}`
  options.log(`\n${label}`)
  const file = `${name}_${size}`
  const subject = createSubject(host, name, file)
  if (size > seededRuns) {
    // The first start migrates the database, which the filler expects.
    await (await subject.start()).stop()
    await fill(databaseUrlOf(host, name, file), size - seededRuns, options.log)
  }
  return startSideBySide(subject, label, [plan], options)
}

/** The latency of a health request while another user asks for the history of seven days again and again. */
async function healthDuringHistory({ urls, groups }: RunningSubject, { seconds, signal }: MeasureOptions): Promise<MeasuredResult> {
  const context = await openBench({ urls, prefix: 'bench', stamp: '00000001', runs: seededRuns })
  context.setup.close()
  const find = (name: string) => allMeasurements(context).find((each) => each.name === name) as Workload
  const loop = { urls, users: 1, seconds, signal }
  const [result] = await Promise.all([runLoop(find('health'), { ...loop, groups }), runLoop(find('history.week_1h'), loop)])
  return { ...result, name: 'health_during_history' }
}

/** Adds rows with SQL: the API takes an hour for a million runs. */
async function fill(databaseUrl: string, runs: number, log: (line: string) => void): Promise<void> {
  if (!existsSync(fillScript)) throw new Error(`The section growth needs ${fillScript} for sizes above ${seededRuns}.`)
  const started = performance.now()
  const counts = ['--runs', runs, '--task-runs', runs * perRun, '--logs', runs * perRun].map(String)
  const child = spawn(process.execPath, [fillScript, ...counts, '--database', databaseUrl], { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${fillScript} exited with ${code}`)
  log(`filled ${runs} runs in ${((performance.now() - started) / 1000).toFixed(0)} s`)
}
