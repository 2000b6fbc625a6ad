import { HttpConnection } from './http-connection.ts'
import { automationLatency } from './trials/automation-latency.ts'
import { fanOut } from './trials/fan-out.ts'
import { schedulerRate } from './trials/scheduler.ts'
import { type BenchContext, check, defaultSizes, type Trial, type Workload } from './workload.ts'
import { clientWorkloads } from './workloads/clients.ts'
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
  ...clientWorkloads(context),
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

/** Names of all measurements. They do not depend on the server. */
export const measurementNames = (): string[] => describeMeasurements().map(({ name }) => name)

/** Names of the workloads that only read. */
export const readOnlyNames = (): string[] =>
  describeMeasurements()
    .filter((each) => !isTrial(each) && each.isRead)
    .map(({ name }) => name)

function describeMeasurements(): Measurement[] {
  const fixtures = { prefix: '', flowIds: [], deploymentIds: [], poolId: '', poolName: '' }
  const unused = { urls: [], connection: {}, setup: new HttpConnection('http://127.0.0.1'), stamp: '', seeded: 0, newId: () => '' }
  return allMeasurements({ ...unused, fixtures, sizes: defaultSizes })
}

/** Names as `--only` takes them: a measurement, or the part of its name before the dot. */
export const selectMeasurements = (all: readonly Measurement[], only: readonly string[]): Measurement[] =>
  only.length === 0 ? [...all] : all.filter(({ name }) => only.some((wanted) => isNamed(name, wanted)))

/** Names of `--only` that no measurement has. */
export const unknownNames = (only: readonly string[]): string[] => only.filter((wanted) => !measurementNames().some((name) => isNamed(name, wanted)))

const isNamed = (name: string, wanted: string): boolean => name === wanted || name.startsWith(`${wanted}.`)
