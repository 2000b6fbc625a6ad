import { deploymentCount, ensureFixtures, type Fixtures, flowCount, seedTag } from './fixtures.ts'
import { type ConnectionOptions, HttpConnection } from './http-connection.ts'
import { check, dayMs, isoTime } from './workload.ts'

const animals = ['otter', 'heron', 'badger', 'falcon', 'lynx', 'marten', 'osprey', 'puffin', 'raven', 'stoat', 'swift', 'tern', 'vole', 'wren']

/** Of a hundred runs 80 complete, the next 8 fail, and so on. */
const states: readonly (readonly [below: number, type: string])[] = [
  [80, 'COMPLETED'],
  [88, 'FAILED'],
  [90, 'CRASHED'],
  [92, 'CANCELLED'],
  [93, 'RUNNING'],
  [100, 'SCHEDULED'],
]

/** The golden ratio: multiples of it, without their whole part, cover the time range evenly for any number of runs. */
const stride = 0.6180339887498949

/** 37 and 100 have no common divisor: a hundred runs in a row have each state in its share. */
const seedState = (i: number): string => (states.find(([below]) => (i * 37) % 100 < below) as readonly [number, string])[1]

/** How many of the first `count` runs have a state. */
export const countInState = (count: number, state: string): number =>
  Array.from({ length: count }, (_, i) => i).filter((i) => seedState(i) === state).length

export interface SeedRun {
  readonly name: string
  readonly deployment: number
  readonly state: string
  readonly at: number
  readonly tags: readonly string[]
  readonly parameters: Readonly<Record<string, unknown>>
}

const runName = (i: number, prefix: string): string => `brisk-${animals[i % animals.length]}-${i}-${prefix}`

/** A part of a name that one of the seeded runs has, and no run of the same server that was created in another way. */
export const rareName = (seeded: number, prefix: string): string => runName(Math.floor((seeded * 9) / 10), prefix).slice('brisk-'.length)

/** Run number `i` of any seed: mostly finished in the last seven days, 7 % scheduled for the next day. */
export function seedRun(i: number, now: number, prefix: string): SeedRun {
  const state = seedState(i)
  const share = (i * stride) % 1
  const offsets: Readonly<Record<string, number>> = { SCHEDULED: 3600_000 + share * dayMs, RUNNING: -share * 3600_000 }
  return {
    name: runName(i, prefix),
    deployment: (i * 7 + Math.floor(i / 100)) % deploymentCount,
    state,
    at: now + (offsets[state] ?? -share * 7 * dayMs),
    tags: [seedTag(prefix), `team-${i % 20}`, i % 3 === 0 ? 'prod' : 'dev'],
    parameters: { number: i, customer: `customer-${i % 997}`, dry_run: false },
  }
}

export interface SeedOptions {
  readonly url: string
  readonly connection?: ConnectionOptions
  readonly prefix: string
  readonly runs: number
  readonly users?: number
  readonly onProgress?: (runs: number) => void
  readonly signal?: AbortSignal | undefined
}

/** Setup waits for a busy server instead of failing. */
export const patient = { timeoutMs: 120_000, retries: 400 }

export const countSeeded = (http: HttpConnection, prefix: string): Promise<number> =>
  http.post('/flow_runs/count', { flow_runs: { tags: { all_: [seedTag(prefix)] } } })

/** Adds flow runs through the API until there are `runs` seeded ones. A finished run takes three requests. */
export async function seed({
  url,
  connection,
  prefix,
  runs,
  users = 8,
  onProgress,
  signal,
}: SeedOptions): Promise<{ fixtures: Fixtures; seeded: number }> {
  const options = { ...connection, ...patient }
  const first = new HttpConnection(url, options)
  const fixtures = await ensureFixtures(first, prefix)
  const now = Date.now()
  let next = await countSeeded(first, prefix)
  const addRuns = async () => {
    const http = new HttpConnection(url, options)
    while (next < runs && !signal?.aborted) {
      const i = next
      next += 1
      await createRun(http, fixtures, seedRun(i, now, prefix))
      onProgress?.(i + 1)
    }
    http.close()
  }
  await Promise.all(Array.from({ length: users }, addRuns))
  signal?.throwIfAborted()
  const seeded = await countSeeded(first, prefix)
  check(seeded >= runs, `${seeded} seeded runs instead of ${runs}`)
  first.close()
  return { fixtures, seeded }
}

async function createRun(http: HttpConnection, { flowIds, deploymentIds, poolName }: Fixtures, run: SeedRun): Promise<void> {
  const created = await http.post('/flow_runs/', {
    name: run.name,
    flow_id: flowIds[run.deployment % flowCount],
    deployment_id: deploymentIds[run.deployment],
    work_pool_name: poolName,
    work_queue_name: 'default',
    parameters: run.parameters,
    tags: run.tags,
    state: { type: 'SCHEDULED', state_details: { scheduled_time: isoTime(run.at) } },
  })
  check(created.state?.type === 'SCHEDULED', `the created run is ${created.state?.type}`)
  const path = `/flow_runs/${created.id}/set_state`
  const steps = run.state === 'SCHEDULED' ? [] : run.state === 'RUNNING' ? ['RUNNING'] : ['RUNNING', run.state]
  for (const type of steps) {
    const answer = await http.post(path, { state: { type }, force: true })
    check(answer.status === 'ACCEPT', `set_state ${type}: ${answer.status}`)
  }
}
