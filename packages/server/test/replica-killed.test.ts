import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { migratedPostgres } from './databases.ts'
import { type Acknowledged, startFailoverLoad } from './failover-load.ts'
import { hasHaproxy, startHaproxy } from './haproxy.ts'
import { startLoadBalancer } from './load-balancer.ts'
import { isFullProof, proofSize, reportFigures } from './proof-size.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

/** Changes before and after the kill, ten seconds of each in the full proof. */
const changesPerPhase = proofSize(100, 1000)
const rate = 100
const clients = 16

/** Of a request that fails at first, until it succeeds. A daily run may share its machine. */
const outageMsMax = proofSize(5000, 1000)

/** Of any request: the balancer must not make clients wait for the killed replica. */
const slowestMsMax = proofSize(8000, 2000)

interface Balancer {
  readonly url: string
  close(): Promise<void>
}

/** One of three replicas is killed under load. The services run on two of them, and the killed one is one of these. */
async function expectNothingLost(name: string, startBalancer: (servers: readonly string[]) => Promise<Balancer>): Promise<void> {
  const { url: database, drop } = await migratedPostgres()
  onTestFinished(drop)
  const servers: ServerProcess[] = await Promise.all([
    startServerProcess(database),
    startServerProcess(database),
    startServerProcess(database, ['--no-services']),
  ])
  onTestFinished(async () => {
    await Promise.all(servers.map(({ kill }) => kill('SIGKILL')))
  })
  const { id: flowId } = await (servers[0] as ServerProcess).post('/flows/', { name: 'f' })
  const balancer = await startBalancer(servers.map(({ url }) => url))
  onTestFinished(() => balancer.close())

  const load = startFailoverLoad(balancer.url, { clients, rate, flowId })
  const began = performance.now()
  await load.waitFor(changesPerPhase)
  const before = load.acknowledged.length
  const requestsBefore = load.durations.length
  await (servers[1] as ServerProcess).kill('SIGKILL')
  await load.waitFor(changesPerPhase)
  const seconds = (performance.now() - began) / 1000
  await load.stop()

  const client = new pg.Client({ connectionString: database })
  await client.connect()
  onTestFinished(() => client.end())
  const problems = await findProblems(client, load.acknowledged)
  const [outage, slowestBefore, slowest] = [load.outages, load.durations.slice(0, requestsBefore), load.durations.slice(requestsBefore)].map(
    (times) => Math.round(Math.max(0, ...times)),
  )
  reportFigures(
    `${name}: ${load.acknowledged.length} acknowledged (${before} before the kill) at ${Math.round((2 * changesPerPhase) / seconds)}/s, ` +
      `${load.outages.length} requests failed at first, the longest for ${outage} ms, slowest request ${slowestBefore} ms before and ${slowest} ms after the kill, failures ${JSON.stringify([...load.failures])}, ${JSON.stringify(problems)}`,
  )
  expect(problems).toEqual({ lostRuns: 0, doubleRuns: 0, lostStates: 0, doubleStates: 0, missingEvents: 0, doubleEvents: 0 })
  expect(outage).toBeLessThan(outageMsMax)
  expect(slowest).toBeLessThan(slowestMsMax)
}

/** Compares what was acknowledged with the rows of runs, states and events. */
async function findProblems(client: pg.Client, acknowledged: readonly Acknowledged[]): Promise<Record<string, number>> {
  const runs = acknowledged.filter((change) => change.kind === 'run')
  const states = acknowledged.filter((change) => change.kind === 'state')
  const read = async (text: string): Promise<Map<string, number>> =>
    new Map((await client.query(text)).rows.map(({ key, count }) => [key, Number(count)]))
  const rows = await read('select id::text as key, count(*) from flow_run group by 1')
  const keys = await read('select idempotency_key as key, count(*) from flow_run group by 1')
  const stored = await read(`select state_details ->> 'transition_id' as key, count(*) from flow_run_state group by 1`)
  const changes = await read(`select flow_run_id || ' ' || type as key, count(*) from flow_run_state group by 1`)
  const events = await read(`select resource_id || ' ' || event as key, count(*) from event where event like 'prefect.flow-run.%' group by 1`)
  const eventKey = ({ runId, type }: { runId: string; type: string }) =>
    `prefect.flow-run.${runId} prefect.flow-run.${type.charAt(0)}${type.slice(1).toLowerCase()}`
  const doubles = (counts: ReadonlyMap<string, number>) => [...counts.values()].filter((count) => count > 1).length
  return {
    lostRuns: runs.filter(({ id, key }) => rows.get(id) !== 1 || keys.get(key) !== 1).length,
    doubleRuns: doubles(keys),
    lostStates: states.filter(({ transitionId }) => stored.get(transitionId) !== 1).length,
    doubleStates: doubles(changes),
    missingEvents: states.filter((change) => events.get(eventKey(change)) === undefined).length,
    doubleEvents: doubles(events),
  }
}

test('nothing acknowledged is lost or done twice when one of three replicas is killed', { timeout: 120_000 }, () =>
  expectNothingLost('own balancer', (servers) => startLoadBalancer(servers, 100)),
)

test.runIf(isFullProof && hasHaproxy)('the same holds behind HAProxy', { timeout: 120_000 }, () =>
  expectNothingLost('HAProxy', async (servers) => {
    const { url, stop } = await startHaproxy(servers)
    return { url, close: stop }
  }),
)
