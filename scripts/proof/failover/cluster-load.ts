import { type EventLoad, startEventLoad } from '../../../packages/server/test/event-load.ts'
import { type Acknowledged, type FailoverLoad, startFailoverLoad } from '../../../packages/server/test/failover-load.ts'
import type { ServerProcess } from '../../../packages/server/test/server-process.ts'

const runClients = 8
const changesPerSecond = 40
const eventsPerSecond = 20

/** Runs through their lifecycle and events on each server, and a schedule that fires each second. */
export interface ClusterLoad {
  readonly changes: readonly Acknowledged[]
  readonly eventIds: readonly string[]
  /** The flow of the changes. */
  readonly flowId: string
  readonly deploymentId: string
  acknowledgedCount(): number
  /** Resolves when each server has acknowledged this many further changes. */
  waitForEach(count: number): Promise<void>
  /** What clients saw besides successes, 503 with `Retry-After` and their own time limit. */
  unexpected(): string[]
  unavailableCount(): number
  timeoutCount(): number
  /** The longest time from the first failure of a request until its success. */
  longestOutageMs(): number
  stop(): Promise<void>
}

export async function startClusterLoad(servers: readonly ServerProcess[]): Promise<ClusterLoad> {
  const first = servers[0] as ServerProcess
  const { id: flowId } = await first.post('/flows/', { name: 'failover' })
  const { id: scheduledFlow } = await first.post('/flows/', { name: 'each second' })
  const schedules = [{ schedule: { interval: 1, anchor_date: '2020-01-01T00:00:00Z' } }]
  const { id: deploymentId } = await first.post('/deployments/', { name: 'each second', flow_id: scheduledFlow, schedules })
  const runs: FailoverLoad[] = servers.map(({ url }) => startFailoverLoad(url, { clients: runClients, rate: changesPerSecond, flowId }))
  const events: EventLoad[] = servers.map(({ url }) => startEventLoad(url, eventsPerSecond))
  const countFailures = (matches: (failure: string) => boolean): number =>
    runs.flatMap(({ failures }) => [...failures]).reduce((sum, [failure, count]) => sum + (matches(failure) ? count : 0), 0)
  const isUnavailable = (failure: string) => failure === '503'
  const isTimeout = (failure: string) => failure === 'ETIMEDOUT'

  return {
    get changes() {
      return runs.flatMap(({ acknowledged }) => acknowledged)
    },
    get eventIds() {
      return events.flatMap(({ acknowledged }) => acknowledged)
    },
    flowId,
    deploymentId,
    acknowledgedCount: () => [...runs, ...events].reduce((sum, { acknowledged }) => sum + acknowledged.length, 0),
    async waitForEach(count) {
      await Promise.all(runs.map((load) => load.waitFor(count)))
    },
    unexpected: () => [
      ...runs.flatMap(({ failures }) =>
        [...failures].filter(([failure]) => !isUnavailable(failure) && !isTimeout(failure)).map(([failure, count]) => `${failure} (${count} times)`),
      ),
      ...events.flatMap(({ unexpected }) => unexpected),
    ],
    unavailableCount: () => countFailures(isUnavailable) + events.reduce((sum, { unavailable }) => sum + unavailable, 0),
    timeoutCount: () => countFailures(isTimeout),
    longestOutageMs: () => Math.max(0, ...runs.flatMap(({ outages }) => outages)),
    async stop() {
      await Promise.all([...runs, ...events].map((load) => load.stop()))
    },
  }
}
