import { readConfig } from '@millrace/server/config.ts'
import { checkHistory, checkQuiescent } from './checks/history-checks.ts'
import { isCaughtUp, unfinishedRuns } from './checks/liveness.ts'
import { checkRunning } from './checks/running-checks.ts'
import { expect, Violation } from './checks/violation.ts'
import { startChaos } from './cluster/chaos.ts'
import { Network } from './cluster/network.ts'
import { SimulatedServer } from './cluster/simulated-server.ts'
import { patchGlobals } from './kernel/patch-globals.ts'
import { settle, VirtualLoop } from './kernel/virtual-loop.ts'
import { drawFaults, noFaults } from './storage/faults.ts'
import type { SharedDatabase } from './storage/shared-database.ts'
import { SimulatedDatabase } from './storage/simulated-database.ts'
import { Client } from './workload/client.ts'
import { Ledger } from './workload/ledger.ts'
import { drawPlan, type PlanOptions } from './workload/plan.ts'
import { startEventSender, startSlotHolder, startUser, startWorker } from './workload/programs.ts'
import { setUp } from './workload/set-up.ts'
import { startSubscriber } from './workload/subscriber.ts'
import type { World } from './workload/world.ts'

export interface SeedOptions {
  readonly stepsMax: number
  readonly keepsLines: boolean
  /** Every n-th seed runs Fastify too; 0 for none. */
  readonly completeEvery: number
  readonly isLong: boolean
}

export interface SeedResult {
  readonly seed: number
  readonly steps: number
  readonly virtualSeconds: number
  readonly hash: string
  readonly violation: { readonly invariant: string; readonly message: string } | undefined
  readonly lines: readonly string[]
}

const second = 1_000_000
/** How long the cluster may take to finish once the faults are over. */
const calmSecondsMax = 200

const config = readConfig(
  {
    MILLRACE_DATABASE_URL: 'postgresql://simulation/database',
    MILLRACE_UI_ENABLED: 'false',
    MILLRACE_SERVICES_SCHEDULER_MIN_SCHEDULED_SECONDS: '10',
    MILLRACE_SERVICES_CANCELLATION_GRACE_SECONDS: '10',
    MILLRACE_SERVICES_CANCELLATION_EVERY_SECONDS: '10',
    MILLRACE_SERVICES_ZOMBIE_DETECTION_FIRST_HEARTBEAT_SECONDS: '20',
    MILLRACE_SERVICES_ZOMBIE_DETECTION_PENDING_INFRASTRUCTURE_SECONDS: '20',
    MILLRACE_SERVICES_WORKER_MONITOR_FALLBACK_HEARTBEAT_INTERVAL_SECONDS: '5',
    MILLRACE_CONCURRENCY_DEPLOYMENT_SLOT_WAIT_SECONDS: '10',
    MILLRACE_CONCURRENCY_TAG_SLOT_WAIT_SECONDS: '5',
  },
  [],
).config

let current: VirtualLoop | undefined
patchGlobals(() => current)

/** Runs a cluster from one seed: a setup, load with faults, and a calm phase in which everything must end. */
export async function simulate(seed: number, shared: SharedDatabase, options: SeedOptions): Promise<SeedResult> {
  shared.reset()
  const loop = new VirtualLoop(seed, options.keepsLines)
  current = loop
  const rejections: unknown[] = []
  const onRejection = (error: unknown) => void rejections.push(error)
  process.on('unhandledRejection', onRejection)
  const world = createWorld(loop, shared, { isComplete: options.completeEvery > 0 && seed % options.completeEvery === 0, isLong: options.isLong })
  let violation: SeedResult['violation']
  try {
    await live(world, options.stepsMax, rejections)
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    violation = { invariant: error.invariant, message: error.message }
    loop.history.note('violation', `${error.invariant}: ${error.message}`)
  } finally {
    current = undefined
    for (const { machine } of world.servers) if (machine) machine.isAlive = false
    await settle()
    process.off('unhandledRejection', onRejection)
  }
  return { seed, steps: loop.steps, virtualSeconds: loop.now / second, hash: loop.history.digest(), violation, lines: loop.history.lines }
}

function createWorld(loop: VirtualLoop, shared: SharedDatabase, options: PlanOptions): World {
  const plan = drawPlan(loop, options)
  const { isComplete } = plan
  const database = new SimulatedDatabase(loop, shared)
  const servers: SimulatedServer[] = []
  const faults = () => world.faults
  const network = new Network(loop, servers, faults)
  const world: World = {
    loop,
    plan,
    network,
    servers,
    database,
    shared,
    ledger: new Ledger(),
    faults: noFaults,
    isCalm: false,
    ids: { flow: '', deployments: [], queue: '' },
  }
  const onServiceError = (server: string, service: string, error: unknown) => {
    failures.push(new Violation('services do not fail', `${service} of ${server}: ${error instanceof Error ? error.stack : error}`))
  }
  const failures: Violation[] = []
  for (let n = 0; n < plan.servers; n += 1) {
    servers.push(new SimulatedServer(`server-${n}`, { loop, database, config, faults, isComplete, onServiceError }))
  }
  network.onResponse = (server, request, { status, body }) => {
    // The workload sends valid requests only. An event may be sent again.
    const isUnexpected = status === 422 || status === 400 || (status >= 400 && request.path === '/events')
    if ((status >= 500 || isUnexpected) && status !== 503)
      failures.push(new Violation('no unexpected answers', `${request.method} ${request.path} at ${server}: ${status} ${JSON.stringify(body)}`))
  }
  return Object.assign(world, { failures })
}

async function live(world: World, stepsMax: number, rejections: readonly unknown[]): Promise<void> {
  const { loop, plan, servers, ids, network } = world
  const advance = (until: number, isDone = () => false) => run(world, until, stepsMax, rejections, isDone)
  for (const server of servers) server.start()
  let isSetUp = false
  void setUp(world).then(() => {
    isSetUp = true
  })
  await advance(60 * second, () => isSetUp)
  if (loop.steps >= stepsMax) return
  expect('setup', isSetUp, () => 'the setup did not finish')

  world.faults = drawFaults(loop)
  for (let n = 0; n < plan.workers; n += 1) startWorker(world, `worker-${n}`)
  for (let n = 0; n < plan.eventSenders; n += 1) startEventSender(world, `sender-${n}`)
  for (let n = 0; n < plan.slotHolders; n += 1) startSlotHolder(world, `holder-${n}`)
  startUser(world)
  for (let n = 0; n < plan.subscribers; n += 1) startSubscriber(world)
  startChaos(world)
  await advance(loop.now + plan.activeSeconds * second)

  world.isCalm = true
  world.faults = noFaults
  world.database.unreachableUntil = 0
  world.database.fullUntil = 0
  const pausing = new Client(loop, network, 'operator')
  let paused = 0
  pausing.run(async () => {
    for (const id of ids.deployments) {
      await pausing.retry({ method: 'POST', path: '/deployments/:id/pause_deployment', params: { id } })
      paused += 1
    }
  })
  const calmSince = loop.now
  const isAnswered = () => [...network.openRequests].every(({ since, machine }) => since >= calmSince || !machine?.isAlive)
  const isQuiet = () => paused === ids.deployments.length && isAnswered() && isCaughtUp(world) && unfinishedRuns(world).length === 0
  await advance(loop.now + calmSecondsMax * second, everySecond(loop, isQuiet))
  checkHistory(world)
  // A seed that was cut short has not come to an end.
  if (loop.steps >= stepsMax) return
  const open = unfinishedRuns(world)
  expect('every run ends', open.length === 0, () => `after ${calmSecondsMax} calm seconds: ${open.map((run) => JSON.stringify(run)).join(', ')}`)
  expect('events are processed', isCaughtUp(world), () => `after ${calmSecondsMax} calm seconds`)
  checkQuiescent(world)
}

/** Asks once per virtual second, because the answer takes several queries. */
function everySecond(loop: VirtualLoop, isTrue: () => boolean): () => boolean {
  let next = loop.now + second
  return () => {
    if (loop.now < next) return false
    next = loop.now + second
    return isTrue()
  }
}

/** Runs steps until a time, and checks the invariants. */
async function run(world: World, until: number, stepsMax: number, rejections: readonly unknown[], isDone: () => boolean): Promise<void> {
  const { loop } = world
  const { failures } = world as World & { failures: Violation[] }
  let checkAt = loop.now + second / 2
  let historyAt = loop.now + 10 * second
  while (loop.steps < stepsMax && (await loop.step(until))) {
    if (failures[0]) throw failures[0]
    if (rejections.length > 0) throw new Violation('no unhandled rejections', String((rejections[0] as Error)?.stack ?? rejections[0]))
    if (loop.now >= checkAt) {
      checkRunning(world)
      checkAt = loop.now + second / 2
    }
    if (loop.now >= historyAt) {
      checkHistory(world)
      historyAt = loop.now + 10 * second
    }
    if (isDone()) return
  }
}
