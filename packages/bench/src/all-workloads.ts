import { automationLatency } from './trials/automation-latency.ts'
import { fanOut } from './trials/fan-out.ts'
import { schedulerRate } from './trials/scheduler.ts'
import { type BenchContext, check, type Trial, type Workload } from './workload.ts'
import { eventWorkloads } from './workloads/events.ts'
import { bulkWorkload, graphWorkloads } from './workloads/graph-and-bulk.ts'
import { logWorkloads, pollWorkloads } from './workloads/polls-and-logs.ts'
import { readWorkloads } from './workloads/reads.ts'
import { runWorkloads } from './workloads/runs.ts'

/** Subscribers of the fan-out. */
const subscriberCounts = [10, 100]

export type Measurement = Workload | Trial

export const isTrial = (measurement: Measurement): measurement is Trial => 'measure' in measurement

/** All measurements in the order in which they run. */
export const allMeasurements = (context: BenchContext): Measurement[] => [
  healthWorkload,
  ...runWorkloads(context),
  ...readWorkloads(context),
  ...pollWorkloads(context),
  ...logWorkloads(context),
  ...eventWorkloads(context),
  ...graphWorkloads(context),
  ...subscriberCounts.map((count) => fanOut(context, count)),
  automationLatency(context),
  schedulerRate(context),
  bulkWorkload(context),
]

const healthWorkload: Workload = {
  name: 'health',
  unit: 'requests',
  isRead: true,
  async operation({ http }) {
    check((await http.get('/health')) === true, 'the server is not healthy')
  },
}

/** Names as `--only` takes them: a measurement, or the part of its name before the dot. */
export function selectMeasurements(all: readonly Measurement[], only: readonly string[]): Measurement[] {
  if (only.length === 0) return [...all]
  const isNamed = (name: string, wanted: string) => name === wanted || name.startsWith(`${wanted}.`)
  const unknown = only.filter((wanted) => !all.some(({ name }) => isNamed(name, wanted)))
  if (unknown.length > 0) throw new RangeError(`No workload is named ${unknown.join(', ')}. There are ${all.map(({ name }) => name).join(', ')}.`)
  return all.filter(({ name }) => only.some((wanted) => isNamed(name, wanted)))
}
