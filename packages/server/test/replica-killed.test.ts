import { expect, onTestFinished, test } from 'vitest'
import { findChangeProblems, noProblems } from './acknowledged-changes.ts'
import { migratedPostgres } from './databases.ts'
import { startFailoverLoad } from './failover-load.ts'
import { hasHaproxy, startHaproxy } from './haproxy.ts'
import { startLoadBalancer } from './load-balancer.ts'
import { isFullProof, proofSize, reportFigures } from './proof-size.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'
import { startApp } from './setup.ts'

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

  const app = await startApp(database)
  onTestFinished(() => app.close())
  const problems = await findChangeProblems(app.context.reads, load.acknowledged, flowId)
  const [outage, slowestBefore, slowest] = [load.outages, load.durations.slice(0, requestsBefore), load.durations.slice(requestsBefore)].map(
    (times) => Math.round(Math.max(0, ...times)),
  )
  reportFigures(
    `${name}: ${load.acknowledged.length} acknowledged (${before} before the kill) at ${Math.round((2 * changesPerPhase) / seconds)}/s, ` +
      `${load.outages.length} requests failed at first, the longest for ${outage} ms, slowest request ${slowestBefore} ms before and ${slowest} ms after the kill, failures ${JSON.stringify([...load.failures])}, ${JSON.stringify(problems)}`,
  )
  expect(problems).toEqual(noProblems)
  expect(outage).toBeLessThan(outageMsMax)
  expect(slowest).toBeLessThan(slowestMsMax)
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
