import { setTimeout as pause } from 'node:timers/promises'
import { findWriteProblems, type WriteProblems } from '../../../packages/server/test/acknowledged-writes.ts'
import { connectCluster } from '../../../packages/server/test/postgres/cluster.ts'
import { missingPatroniPackages, type PatroniCluster, startPatroniCluster } from '../../../packages/server/test/postgres/patroni.ts'
import type { PatroniNode } from '../../../packages/server/test/postgres/patroni-node.ts'
import { type ServerProcess, startServerProcess } from '../../../packages/server/test/server-process.ts'
import { type ClusterLoad, startClusterLoad } from './cluster-load.ts'

/** One line of the list of proofs. */
export interface ProofFigures {
  readonly asked: string
  readonly measured: string
  readonly passed: boolean
  readonly size: string
  readonly seconds: number
}

interface Options {
  readonly kills?: number
  /** Whether the primary is also switched over and cut off. */
  readonly others?: boolean
  /** A test beside others on a busy machine needs more. */
  readonly recoverySecondsMax?: number
  readonly report?: ((line: string) => void) | undefined
}

const serverCount = 2
const nodeCount = 3
const changesBetween = 100
const partitionSeconds = 25

/** Kills, a planned switchover and two partitions of the primary, while two servers take writes. */
export async function proveFailover({
  kills = 10,
  others = true,
  recoverySecondsMax = 10,
  report = () => undefined,
}: Options = {}): Promise<ProofFigures> {
  const asked = `primary killed ${kills} times${others ? ', one switchover, two partitions' : ''}: 0 acknowledged writes lost or doubled, writes back within ${recoverySecondsMax} s of the new primary, no restart, no 500`
  const missing = missingPatroniPackages()
  if (missing) return { asked, measured: `skipped: ${missing}`, passed: false, size: 'none', seconds: 0 }
  const began = performance.now()
  const elapsed = () => (performance.now() - began) / 1000
  const say = (line: string) => report(`${elapsed().toFixed(1).padStart(6)} s  ${line}`)
  const cluster = await startPatroniCluster(nodeCount)
  const servers: ServerProcess[] = []
  try {
    const databases = connectCluster(cluster.url)
    const url = await databases.createDatabase('millrace')
    await databases.close()
    for (let n = 0; n < serverCount; n += 1) servers.push(await startServerProcess(url, [], { MILLRACE_SERVER_LOG_LEVEL: 'fatal' }))
    const load = await startClusterLoad(servers)
    const outages: Outage[] = []
    const interrupt = async (what: string, act: (primary: PatroniNode) => Promise<void>, restore: (node: PatroniNode) => void) => {
      const outage = await causeOutage(cluster, load, act, restore)
      outages.push(outage)
      say(`${what}: new primary after ${outage.promotionMs} ms, writes back ${outage.recoveryMs} ms later`)
    }
    say('load started')
    for (let n = 0; n < kills; n += 1) {
      // In turn: PostgreSQL alone, which Patroni notices at once, and the whole node, whose lock has to expire.
      const only = n % 2 === 0 ? 'postgres' : undefined
      await interrupt(
        `kill ${n + 1} (${only ?? 'node'})`,
        (primary) => primary.kill(only),
        (node) => only ?? node.start(),
      )
    }
    if (others)
      await interrupt(
        'switchover',
        async (primary) => cluster.switchover(primary, await syncStandby(cluster, primary)),
        () => undefined,
      )
    let acknowledgedInPartition = 0
    for (const how of others ? (['all', 'from other nodes'] as const) : []) {
      await interrupt(
        `partition (${how})`,
        async (primary) => {
          primary.partition(how)
          const isolated = await observeIsolated(primary, load)
          acknowledgedInPartition += isolated
          say(`the old primary gave up its role; ${isolated} writes acknowledged after the partition began`)
        },
        (node) => node.heal(),
      )
    }
    await load.waitForEach(changesBetween)
    await load.stop()
    say('load stopped')
    const problems = await findWriteProblems(url, load)
    const restarted = servers.filter(({ child }) => child.exitCode !== null || child.signalCode !== null).length
    const slowestRecovery = Math.max(...outages.map(({ recoveryMs }) => recoveryMs))
    const bad = Object.values(problems).reduce((sum: number, count: number) => sum + count, 0)
    const unexpected = load.unexpected()
    for (const line of unexpected.slice(0, 20)) say(`unexpected: ${line}`)
    return {
      asked,
      measured: [
        describeProblems(problems),
        `writes back at most ${(slowestRecovery / 1000).toFixed(1)} s after the new primary`,
        `outage for clients at most ${(load.longestOutageMs() / 1000).toFixed(1)} s`,
        `${load.unavailableCount()} responses 503, ${load.timeoutCount()} client timeouts, ${unexpected.length} others`,
        `${acknowledgedInPartition} acknowledged by an isolated primary`,
        `${restarted} servers restarted`,
      ].join('; '),
      passed:
        bad === 0 && slowestRecovery <= recoverySecondsMax * 1000 && unexpected.length === 0 && restarted === 0 && acknowledgedInPartition === 0,
      size: `${nodeCount} PostgreSQL nodes, ${serverCount} servers, ${load.changes.length} changes of runs and ${load.eventIds.length} events acknowledged`,
      seconds: Math.round(elapsed()),
    }
  } catch (error) {
    report(cluster.logs())
    throw error
  } finally {
    await Promise.all(servers.map((server) => server.kill('SIGKILL')))
    await cluster.stop()
  }
}

interface Outage {
  /** From the act until another node accepts writes. */
  readonly promotionMs: number
  /** From then until each server has acknowledged a write. */
  readonly recoveryMs: number
}

async function causeOutage(
  cluster: PatroniCluster,
  load: ClusterLoad,
  act: (primary: PatroniNode) => Promise<void>,
  restore: (node: PatroniNode) => void,
): Promise<Outage> {
  const primary = await cluster.waitUntilHealthy()
  await load.waitForEach(changesBetween)
  const actedAt = performance.now()
  // Watched from the start: an act may take until after the promotion.
  const promoted = cluster.waitForPrimary(primary).then(async () => {
    const promotedAt = performance.now()
    await load.waitForEach(1)
    return { promotionMs: Math.round(promotedAt - actedAt), recoveryMs: Math.round(performance.now() - promotedAt) }
  })
  await act(primary)
  const outage = await promoted
  restore(primary)
  return outage
}

/** Waits until an isolated primary gives up its role. Returns how many writes it acknowledged, apart from those in flight when the partition began. */
async function observeIsolated(primary: PatroniNode, load: ClusterLoad): Promise<number> {
  await pause(500)
  const before = load.acknowledgedCount()
  let acknowledged = before
  for (const deadline = performance.now() + partitionSeconds * 1000; performance.now() < deadline; await pause(50)) {
    // Read first: what arrives later may come from the new primary.
    const count = load.acknowledgedCount()
    if (!(await primary.acceptsWrites())) break
    acknowledged = count
  }
  return acknowledged - before
}

async function syncStandby(cluster: PatroniCluster, primary: PatroniNode): Promise<PatroniNode> {
  const member = (await primary.members())?.find(({ role }) => role === 'sync_standby')
  const node = cluster.nodes.find(({ name }) => name === member?.name)
  if (!node) throw new Error('no synchronous standby')
  return node
}

const describeProblems = (problems: WriteProblems): string =>
  Object.entries(problems)
    .map(([name, count]) => `${count} ${name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`)
    .join(', ')
