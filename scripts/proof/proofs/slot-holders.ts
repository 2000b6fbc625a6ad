import { setTimeout as pause } from 'node:timers/promises'
import { openDatabasePool } from '../../../packages/server/test/open-pool.ts'
import { startProgram } from '../child-program.ts'
import { below, exactly, type Figure, largest, observed, percentile } from '../figure.ts'
import type { Proof } from '../proof.ts'
import type { ProofRun } from '../proof-run.ts'
import { isSuccess, send } from '../requests.ts'

const at = '/v2/concurrency_limits'
/** The shortest that the API accepts. */
const leaseSeconds = 60
const holdersPerProcess = 5
const processesMax = 8
const deathShare = 0.2
const wakeRounds = 100
/** A lease begins before its holder gets the answer, by less than this. */
const answerMs = 2000

interface Line {
  readonly taken?: string
  readonly released?: string
  readonly problem?: string
  readonly at: number
}

interface Hold {
  from: number
  until: number
}

/** The largest number of slots in use at once, from the times of clients. They lie within the times of the server, so the true number is no smaller. */
function mostAtOnce(holds: Iterable<Hold>): number {
  const changes = [...holds].flatMap(({ from, until }) => [
    { at: from, by: 1 },
    { at: until, by: -1 },
  ])
  // A slot that is released and taken in the same millisecond counts once.
  changes.sort((a, b) => a.at - b.at || a.by - b.by)
  let [now, most] = [0, 0]
  for (const { by } of changes) {
    now += by
    most = Math.max(most, now)
  }
  return most
}

interface RoundResult {
  readonly taken: number
  readonly killed: number
  readonly most: number
  readonly limit: number
  readonly problems: number
  readonly freeSeconds: number
}

async function runHolders(run: ProofRun, urls: readonly string[], acquisitions: number): Promise<RoundResult> {
  const [url] = urls as [string]
  // Enough for the slots of killed holders, which stay in use for a minute, and few enough that holders wait.
  const limit = Math.max(20, Math.round(acquisitions * deathShare * 0.8))
  await send(url, 'POST', `${at}/`, { name: 'proof', limit })
  const holds = new Map<string, Hold>()
  let [problems, started, killed, lastDeath] = [0, 0, 0, Date.now()]
  const runProcess = async (server: string): Promise<void> => {
    while (started < acquisitions) {
      const rounds = Math.min(20, Math.ceil((acquisitions - started) / holdersPerProcess))
      const open = new Set<string>()
      let taken = 0
      started += rounds * holdersPerProcess
      const seed = Math.floor(run.random.next() * 2 ** 31)
      const { ended } = startProgram<Line>(
        run,
        'slot-holder',
        { url: server, limit: 'proof', holders: holdersPerProcess, rounds, deathShare, leaseSeconds, seed },
        (line) => {
          if (line.taken !== undefined) {
            taken += 1
            open.add(line.taken)
            holds.set(line.taken, { from: line.at, until: line.at + leaseSeconds * 1000 - answerMs })
          } else if (line.released !== undefined) {
            open.delete(line.released)
            const hold = holds.get(line.released)
            if (hold) hold.until = line.at
          } else {
            problems += 1
            run.log(line.problem ?? '')
          }
        },
      )
      await ended
      // What a killed process left is for the next one.
      started -= rounds * holdersPerProcess - taken
      if (open.size > 0) lastDeath = Date.now()
      killed += open.size
    }
  }
  await Promise.all(Array.from({ length: processesMax }, (_, n) => runProcess(urls[n % urls.length] as string)))
  const freeSeconds = await measureUntilFree(url, limit, lastDeath)
  return { taken: holds.size, killed, most: mostAtOnce(holds.values()), limit, problems, freeSeconds }
}

/** Seconds from the last death until one request can take all slots. */
async function measureUntilFree(url: string, limit: number, since: number): Promise<number> {
  for (;;) {
    const response = await send(url, 'POST', `${at}/increment-with-lease`, { names: ['proof'], slots: limit, lease_duration: leaseSeconds })
    const seconds = (Date.now() - since) / 1000
    if (isSuccess(response)) {
      await send(url, 'POST', `${at}/decrement-with-lease`, { lease_id: response.body.lease_id })
      return seconds
    }
    if (seconds > leaseSeconds + 60) return Number.POSITIVE_INFINITY
    await pause(200)
  }
}

/** The time from the release of a slot on one server to the answer of a waiter on another. */
async function measureWaiters(urls: readonly string[]): Promise<number[]> {
  const [first, last] = [urls[0] as string, urls.at(-1) as string]
  await send(first, 'POST', `${at}/`, { name: 'wake', limit: 1 })
  const take = (url: string, prefer: string) =>
    send(url, 'POST', `${at}/increment-with-lease`, { names: ['wake'], slots: 1, lease_duration: leaseSeconds }, { prefer })
  let lease = (await take(first, 'wait=0')).body.lease_id
  const times: number[] = []
  for (let n = 0; n < wakeRounds; n += 1) {
    const waiting = take(last, 'wait=8').then((response) => ({ lease: response.body.lease_id, at: performance.now() }))
    await pause(30)
    await send(first, 'POST', `${at}/decrement-with-lease`, { lease_id: lease })
    const released = performance.now()
    const next = await waiting
    times.push(Math.max(0, next.at - released))
    lease = next.lease
  }
  return times
}

const isolations = ['read committed', 'repeatable read', 'serializable']

/** Two servers on a database whose sessions have this isolation level by default. */
async function runIsolated(run: ProofRun, isolation: string): Promise<{ result: RoundResult; urls: readonly string[] }> {
  const name = isolation.replace(' ', '_')
  const database = await run.newDatabase(name)
  const pool = await openDatabasePool(database)
  await pool.withMaintenance((connection) => connection.script(`alter database "${name}" set default_transaction_isolation = '${isolation}'`))
  await pool.close()
  const urls = [await run.startServer(database), await run.startServer(database)].map(({ url }) => url)
  const result = await runHolders(run, urls, Math.ceil(run.amount / isolations.length))
  run.log(`${isolation}: ${result.taken} slots taken, ${result.killed} holders killed`)
  return { result, urls }
}

async function run(run: ProofRun): Promise<Figure[]> {
  const results: RoundResult[] = []
  let wakeMs: number[]
  if (run.database === 'sqlite') {
    const server = await run.startServer(await run.newDatabase())
    results.push(await runHolders(run, [server.url], run.amount))
    wakeMs = await measureWaiters([server.url])
  } else {
    // At the same time, because most of it is waiting for leases.
    await run.postgres()
    const rounds = await Promise.all(isolations.map((isolation) => runIsolated(run, isolation)))
    results.push(...rounds.map(({ result }) => result))
    wakeMs = await measureWaiters(rounds[0]?.urls ?? [])
  }
  const sum = (pick: (result: RoundResult) => number) => results.reduce((total, result) => total + pick(result), 0)
  return [
    observed(
      'slots taken',
      sum(({ taken }) => taken),
    ),
    observed(
      'holders killed by kill -9',
      sum(({ killed }) => killed),
    ),
    exactly('slots above the limit at any time', largest(results.map(({ most, limit }) => most - limit)), 0),
    observed('most slots in use, of the limit', results.map(({ most, limit }) => `${most} of ${limit}`).join(', ')),
    below('all slots are free after the last kill', largest(results.map(({ freeSeconds }) => freeSeconds)), leaseSeconds + 5, 's'),
    exactly(
      'requests that failed',
      sum(({ problems }) => problems),
      0,
    ),
    below('median time from a release to the waiter', percentile(wakeMs, 0.5), 100, 'ms'),
    observed('p99 of that time', `${Math.round(percentile(wakeMs, 0.99))} ms`),
  ]
}

export const slotHolders: Proof = {
  id: 'R9',
  promise: 'concurrency slots are never exceeded and never leak when holders die',
  databases: ['sqlite', 'postgres'],
  full: { amount: 10_000, unit: 'acquisitions' },
  method: `Processes take and release slots of one limit, ${holdersPerProcess} at a time; ${deathShare * 100} % of the rounds end by kill -9 while the slots are held, with a lease of ${leaseSeconds} seconds. On PostgreSQL there are two servers, and a third of the work runs under each default isolation level of the database: read committed, repeatable read and serializable. Then a waiter on one server waits ${wakeRounds} times for a release on another.`,
  failure: `By the times of the clients more slots than the limit were in use, one request cannot take all slots ${leaseSeconds + 5} seconds after the last kill, a request fails, or a waiter needs 100 ms or more (median).`,
  run,
}
