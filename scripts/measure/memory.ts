import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { allMeasurements } from '../../packages/bench/src/all-workloads.ts'
import { runLoop } from '../../packages/bench/src/closed-loop.ts'
import { readUsage } from '../../packages/bench/src/process-usage.ts'
import type { MemoryCourse, MemorySample } from '../../packages/bench/src/results.ts'
import { openBench } from '../../packages/bench/src/run-bench.ts'
import { seed } from '../../packages/bench/src/seed.ts'
import type { Workload } from '../../packages/bench/src/workload.ts'
import type { BenchHost } from './host.ts'
import { type MeasureOptions, seededRuns } from './measure-subjects.ts'
import type { BenchSettings } from './options.ts'
import { createSubject, type SubjectName } from './subjects.ts'

const samplesWanted = 240
/** Share of the load time that the server is watched before and after it, up to two minutes. */
const restShare = 0.2
const restSecondsMax = 120

/** Workloads of the mix: mostly runs, with everything else that a server does all day. */
const mix = [
  'lifecycle',
  'one_task_run',
  'lifecycle',
  'tasks',
  'lifecycle',
  'filter.latest',
  'logs.write',
  'one_task_run',
  'events.write',
  'history.week_1h',
]

/** Watches the memory of a server before, during and after a mixed load of all users. */
export async function measureMemory(host: BenchHost, settings: BenchSettings, options: MeasureOptions): Promise<Record<string, MemoryCourse>> {
  const courses: Record<string, MemoryCourse> = {}
  for (const database of settings.databases) {
    const name = `millrace-${database}` as SubjectName
    courses[name] = { ...(await watch(host, name, settings, options)), seeded: await measureDisk(host, name, settings, options) }
  }
  return courses
}

async function watch(host: BenchHost, name: SubjectName, { minutes, users }: BenchSettings, { signal, log }: MeasureOptions): Promise<MemoryCourse> {
  const seconds = minutes * 60
  const rest = Math.min(restSecondsMax, seconds * restShare)
  const running = await createSubject(host, name, `${name}_memory`).start()
  log(`\nmemory of ${name}: ${rest.toFixed(0)} s idle, ${seconds.toFixed(0)} s load, ${rest.toFixed(0)} s idle`)
  const samples: MemorySample[] = []
  const started = performance.now()
  let phase: MemorySample['phase'] = 'idle'
  // Only the server: the memory of the database is a setting of the database.
  const sample = () => {
    const usage = readUsage(running.groups.server ?? [])
    if (usage) samples.push({ seconds: Math.round((performance.now() - started) / 1000), rss_mb: usage.rssMb, phase })
  }
  const timer = setInterval(sample, Math.max(250, ((seconds + 2 * rest) * 1000) / samplesWanted))
  try {
    await pause(rest * 1000, undefined, { signal })
    sample()
    phase = 'load'
    const { urls } = running
    const context = await openBench({ urls, prefix: 'bench', stamp: randomUUID().slice(0, 8), runs: seededRuns, signal })
    const parts = mix.map((wanted) => allMeasurements(context).find((each) => each.name === wanted) as Workload)
    const mixed = await mixWorkloads(parts)
    const result = await runLoop(mixed, { urls, users, seconds, signal })
    if (result.errors > 0) log(`${result.errors} errors: ${JSON.stringify(result.errorKinds)}`)
    phase = 'after'
    await pause(rest * 1000, undefined, { signal })
    sample()
    const runs = await context.setup.post('/flow_runs/count', {})
    context.setup.close()
    const disk_mb = Math.round((await running.databaseBytes()) / 1e6)
    const at = (wanted: MemorySample['phase'], pick: (values: number[]) => number) =>
      pick(samples.filter((each) => each.phase === wanted).map(({ rss_mb }) => rss_mb))
    log(
      `idle ${at('idle', (all) => all.at(-1) ?? 0)} MB, load up to ${at('load', (all) => Math.max(...all))} MB, after ${at('after', (all) => all.at(-1) ?? 0)} MB`,
    )
    log(`${runs} runs, database ${disk_mb} MB, ${result.perSecond} operations per second`)
    return { samples, runs, disk_mb }
  } finally {
    clearInterval(timer)
    await running.stop()
  }
}

/** Runs of the disk measurement: enough for published figures, or for a look. */
const diskRuns = { many: 100_000, few: 2000 }
const manyMinutes = 10

/** Size of a database with flow runs only, some time after the last of them: the server compresses their events. */
async function measureDisk(host: BenchHost, name: SubjectName, { minutes }: BenchSettings, { signal, log }: MeasureOptions) {
  const runs = minutes >= manyMinutes ? diskRuns.many : diskRuns.few
  const running = await createSubject(host, name, `${name}_disk`).start()
  try {
    const [url] = running.urls
    await seed({ url: url as string, prefix: 'bench', runs, users: 16, signal })
    await pause(Math.min(restSecondsMax, minutes * 60 * restShare) * 1000, undefined, { signal })
    const disk_mb = Math.round((await running.databaseBytes()) / 1e6)
    log(`${runs} seeded runs take ${disk_mb} MB`)
    return { runs, disk_mb }
  } finally {
    await running.stop()
  }
}

/** One workload whose operations are those of others in turn. Each part keeps its own fixtures. */
async function mixWorkloads(parts: readonly Workload[]): Promise<Workload> {
  for (const part of new Set(parts)) await part.prepare?.()
  return { name: 'mix', unit: 'operations', operation: async (user) => void (await (parts[user.turn % parts.length] as Workload).operation(user)) }
}
