import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { startFailoverLoad } from '../../../packages/server/test/failover-load.ts'
import type { ServerProcess } from '../../../packages/server/test/server-process.ts'
import { startProgram } from '../child-program.ts'
import { below, exactly, type Figure, observed, percentile } from '../figure.ts'
import type { Proof } from '../proof.ts'
import type { ProofRun } from '../proof-run.ts'
import { FailureCounts, isSuccess, send } from '../requests.ts'

const peakSeconds = 10
const clients = 16
const sampleSeconds = 5
const slopeMax = 5
/** Growth of a shorter run, in which garbage hides the slope. */
const shortGrowthMax = 30

interface Sample {
  /** Minutes since the start. */
  readonly at: number
  readonly memoryMb: number
  readonly handles: number
}

/** Without pages of files, such as the program. */
const readSample = (pid: number, beganMs: number): Sample => ({
  at: (performance.now() - beganMs) / 60_000,
  memoryMb: Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
  handles: readdirSync(`/proc/${pid}/fd`).length,
})

/** The slope of a line through the points, by least squares. */
export function slopeOf(points: readonly { readonly at: number; readonly value: number }[]): number {
  const mean = (pick: (point: { at: number; value: number }) => number) => points.reduce((sum, point) => sum + pick(point), 0) / points.length
  const [meanAt, meanValue] = [mean(({ at }) => at), mean(({ value }) => value)]
  const spread = points.reduce((sum, { at }) => sum + (at - meanAt) ** 2, 0)
  return spread === 0 ? 0 : points.reduce((sum, { at, value }) => sum + (at - meanAt) * (value - meanValue), 0) / spread
}

/** The lowest memory of each group of samples: what remains after garbage collection. */
function floorOf(samples: readonly Sample[], groups: number): { at: number; value: number }[] {
  const size = Math.max(1, Math.floor(samples.length / groups))
  return Array.from({ length: Math.floor(samples.length / size) }, (_, n) => {
    const group = samples.slice(n * size, (n + 1) * size)
    return { at: group.reduce((sum, { at }) => sum + at, 0) / group.length, value: Math.min(...group.map(({ memoryMb }) => memoryMb)) }
  })
}

/** Ranges of samples, a minute each. Beside a drift, their median p99 tells a server that is slow in all minutes from a machine that was slow in some. */
function minutesOf(from: number, count: number): [number, number][] {
  const size = Math.min(count, 60 / sampleSeconds)
  return Array.from({ length: Math.floor(count / size) }, (_, n) => [from + n * size, from + (n + 1) * size])
}

/** What else a server in use has to do: workers poll, runs log, and dashboards are open. */
function startOtherClients(run: ProofRun, { url }: ServerProcess, pool: string): { failures: FailureCounts; stop(): Promise<void> } {
  const failures = new FailureCounts()
  let stopped = false
  const every = async (ms: number, path: string, body: () => unknown): Promise<void> => {
    while (!stopped) {
      const response = await send(url, 'POST', path, body())
      if (!isSuccess(response)) failures.add(response)
      await pause(ms * (0.5 + run.random.next()))
    }
  }
  const line = () => ({ level: 20, name: 'proof', message: 'a line of a log', timestamp: new Date().toISOString() })
  const running = [
    ...Array.from({ length: 4 }, () => every(500, `/work_pools/${pool}/get_scheduled_flow_runs`, () => ({ limit: 10 }))),
    every(100, '/logs/', () => Array.from({ length: 20 }, line)),
    every(1000, '/flow_runs/paginate', () => ({ limit: 25, sort: 'START_TIME_DESC' })),
    every(1000, '/flow_runs/count', () => ({})),
    every(2000, '/events/filter', () => ({ limit: 50 })),
    every(2000, '/logs/filter', () => ({ limit: 50 })),
  ]
  return {
    failures,
    async stop() {
      stopped = true
      await Promise.all(running)
    },
  }
}

async function run(run: ProofRun): Promise<Figure[]> {
  const minutes = 60 * run.size
  const server = await run.startServer(await run.newDatabase())
  const { id: flowId } = await server.post('/flows/', { name: 'soak' })
  await server.post('/work_pools/', { name: 'soak', type: 'process' })
  const warm = startFailoverLoad(server.url, { clients, flowId, random: run.random })
  await pause(2000)
  const before = warm.acknowledged.length
  await pause(peakSeconds * 1000)
  const peak = (warm.acknowledged.length - before) / peakSeconds
  await warm.stop()
  run.log(`peak: ${Math.round(peak)} writes/s`)

  startProgram(run, 'subscribers', { url: server.url, count: 3, name: 'prefect.flow-run.Completed' }, () => {})
  const others = startOtherClients(run, server, 'soak')
  run.defer(() => others.stop())
  const load = startFailoverLoad(server.url, { clients, rate: peak / 2, flowId, random: run.random })
  run.defer(() => load.stop())
  const [pid, began] = [server.child.pid as number, performance.now()]
  const samples: Sample[] = []
  /** The number of requests at each sample. */
  const marks: number[] = []
  while (performance.now() - began < minutes * 60_000) {
    run.checkInterrupted()
    await pause(sampleSeconds * 1000)
    const sample = readSample(pid, began)
    samples.push(sample)
    marks.push(load.durations.length)
    run.record('samples.jsonl', { ...sample, requests: load.durations.length })
    if (samples.length % 60 === 0) run.log(`${sample.at.toFixed(0)} min: ${Math.round(sample.memoryMb)} MB, ${sample.handles} handles`)
  }
  await load.stop()
  await others.stop()

  // Caches, segments and compiled code of the first part are the warm-up.
  const first = Math.min(Math.floor(samples.length / 3), (15 * 60) / sampleSeconds)
  const steady = samples.slice(first)
  const floor = floorOf(steady, 12)
  const slope = slopeOf(floor) * 60
  const third = Math.floor(steady.length / 3)
  const p99 = (from: number, to: number) => percentile(load.durations.slice(marks[from], marks[to]), 0.99)
  const medianP99 = (from: number) =>
    percentile(
      minutesOf(from, third).map(([start, end]) => p99(start, end)),
      0.5,
    )
  const last = marks.length - 1 - third
  const [early, late] = [p99(first, first + third), p99(last, last + third)]
  const handles = steady.map((sample) => sample.handles)
  const growth = (floor.at(-1)?.value ?? 0) - (floor[0]?.value ?? 0)
  run.amountText = `${minutes.toFixed(0)} min at ${Math.round(peak / 2)} writes/s`
  return [
    observed('peak', `${Math.round(peak)} writes/s`),
    observed('writes', load.durations.length),
    minutes >= 60
      ? below('slope of memory after the warm-up', slope, slopeMax, 'MB/h')
      : below('growth of memory after the warm-up', growth, shortGrowthMax, 'MB'),
    observed(
      'memory',
      `${Math.round(floor[0]?.value ?? 0)} MB after the warm-up, ${Math.round(floor.at(-1)?.value ?? 0)} MB at the end, slope ${slope.toFixed(1)} MB/h`,
    ),
    below('spread of open handles after the warm-up', Math.max(...handles) - Math.min(...handles), 10),
    below('drift of the p99 of writes', ((late - early) / early) * 100, 10, '%'),
    observed('p99 of writes', `${early.toFixed(1)} ms in the first third, ${late.toFixed(1)} ms in the last`),
    observed('median p99 of a minute', `${medianP99(first).toFixed(1)} ms in the first third, ${medianP99(last).toFixed(1)} ms in the last`),
    exactly('requests that failed', others.failures.except() + [...load.failures.values()].reduce((sum, count) => sum + count, 0), 0),
  ]
}

export const soak: Proof = {
  id: 'R14',
  promise: 'a server under steady load neither grows nor slows down',
  databases: ['sqlite', 'postgres'],
  full: { amount: 60, unit: 'minutes' },
  usualSize: 0.12,
  method: `The highest rate of writes is measured for ${peakSeconds} seconds. Then ${clients} clients write at half of it, while workers poll, runs log and dashboards are open. The memory of the server (resident, without mapped files) and its open handles are read every ${sampleSeconds} seconds. The first third, at most 15 minutes, is the warm-up. The slope is that of the lowest memory in each of twelve parts, which leaves garbage out.`,
  failure: `Memory grows by ${slopeMax} MB an hour or more (in runs below an hour: by ${shortGrowthMax} MB or more from the first to the last part), the number of handles varies by ten or more, the p99 of the last third exceeds that of the first by 10 % or more, or a request fails.`,
  run,
}
