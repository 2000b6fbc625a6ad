import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { findChangeProblems } from '../../../packages/server/test/acknowledged-changes.ts'
import { startFailoverLoad } from '../../../packages/server/test/failover-load.ts'
import { fillDatabase } from '../../../packages/server/test/fill-database.ts'
import { freePort } from '../../../packages/server/test/free-port.ts'
import { openDatabasePool } from '../../../packages/server/test/open-pool.ts'
import { changeFigures } from '../change-figures.ts'
import { atLeast, below, exactly, largest, observed, percentile } from '../figure.ts'
import type { Proof } from '../proof.ts'
import type { ProofRun } from '../proof-run.ts'

const clients = 16
const rate = 500
const filledRuns = 100_000

/** Runs on its own thread, because a check of 100,000 runs takes seconds. */
const checkSource = `
const { parentPort, workerData } = require('node:worker_threads')
const { DatabaseSync } = require('node:sqlite')
const database = new DatabaseSync(workerData)
const problems = database.prepare('pragma integrity_check').all().filter((row) => row.integrity_check !== 'ok')
const references = database.prepare('pragma foreign_key_check').all()
database.close()
parentPort.postMessage(JSON.stringify([...problems, ...references].slice(0, 10)))
`

/** Checks a copy: opening the file itself would recover and shorten the log before the server sees it. Returns the problems as text. */
async function checkCopy(copy: string): Promise<string> {
  const worker = new Worker(checkSource, { eval: true, workerData: copy })
  const found = await new Promise<string>((resolve) => {
    worker.once('message', resolve)
    worker.once('error', (error) => resolve(error.message))
  })
  await worker.terminate()
  for (const ending of ['', '-wal', '-shm']) rmSync(`${copy}${ending}`, { force: true })
  return found
}

function copyDatabase(file: string, copy: string): void {
  for (const ending of ['', '-wal']) if (existsSync(`${file}${ending}`)) copyFileSync(`${file}${ending}`, `${copy}${ending}`)
}

async function run(run: ProofRun) {
  const file = join(run.folder, 'millrace.db')
  const url = `sqlite:${file}`
  const pool = await openDatabasePool(url)
  await fillDatabase(pool, { runs: run.scaled(filledRuns, 2000), taskRuns: 0, logs: 0, now: Date.now() * 1000 })
  await pool.close()
  const port = await freePort()
  let server = await run.startServer(url, { port })
  const { id: flowId } = await server.post('/flows/', { name: 'under fire' })
  const load = startFailoverLoad(server.url, {
    clients,
    rate,
    flowId,
    random: run.random,
    onAcknowledged: (change) => run.record('acknowledged.jsonl', change),
    onFailure: (failure, text) => failure === '500' && run.record('failures.jsonl', { failure, text }),
  })
  run.defer(() => load.stop())

  const startMs: number[] = []
  let [damaged, checked] = [0, 0]
  for (let n = 0; n < run.amount; n += 1) {
    run.checkInterrupted()
    await load.waitFor(1)
    await pause(run.between(50, 1500))
    await server.kill('SIGKILL')
    const copy = join(run.folder, 'copy.db')
    copyDatabase(file, copy)
    const began = performance.now()
    server = await run.startServer(url, { port })
    await server.post('/flow_runs/filter', { limit: 1 })
    startMs.push(performance.now() - began)
    const problems = await checkCopy(copy)
    checked += 1
    if (problems !== '[]') {
      damaged += 1
      run.log(`damaged after kill ${n + 1}: ${problems}`)
    }
    if ((n + 1) % 20 === 0) run.log(`${n + 1} kills, ${load.acknowledged.length} acknowledged, start ${Math.round(startMs.at(-1) as number)} ms`)
  }
  await load.waitFor(clients)
  await load.stop()
  await server.kill('SIGTERM')
  const app = await run.openDatabase(url)
  const problems = await findChangeProblems(app.context.reads, load.acknowledged, flowId)
  const unexpected = [...load.failures].filter(([failure]) => !/^(503|E[A-Z]+)$/.test(failure))
  return [
    atLeast('kill -9 under load', startMs.length, run.amount),
    observed('acknowledged writes', load.acknowledged.length),
    ...changeFigures(problems),
    exactly('failed integrity checks', damaged, 0),
    observed('integrity checks', checked),
    exactly(
      'responses of 500 or similar',
      unexpected.reduce((sum, [, count]) => sum + count, 0),
      0,
    ),
    below('longest time to serve again', largest(startMs), 2000, 'ms'),
    observed('median time to serve again', `${Math.round(percentile(startMs, 0.5))} ms`),
  ]
}

export const killSqlite: Proof = {
  id: 'R1',
  promise: 'kill -9 under load loses nothing that was acknowledged (SQLite)',
  databases: ['sqlite'],
  full: { amount: 200, unit: 'kills' },
  method: `A database file with ${filledRuns.toLocaleString('en')} flow runs. ${clients} clients create runs and set states, ${rate} requests a second, and repeat a request with the same key until it succeeds; each 2xx is recorded. The server is killed with SIGKILL at random moments and started again on the same file. After each kill a copy of the file and its log is checked by \`pragma integrity_check\` and \`pragma foreign_key_check\`. At the end the record is compared with the runs, states and events in the file.`,
  failure:
    'An acknowledged run or state is missing, a run or a state exists twice, a state has no event or an event no state, a check reports a problem, a response is 500, or the server needs two seconds or more until it serves again.',
  run,
}
