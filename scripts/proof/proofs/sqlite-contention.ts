import { setTimeout as pause } from 'node:timers/promises'
import { below, exactly, observed, percentile } from '../figure.ts'
import type { Proof } from '../proof.ts'
import type { ProofRun } from '../proof-run.ts'
import { FailureCounts, isSuccess, type Response, send } from '../requests.ts'

const writers = 64
const readers = 4
/** Between two requests of a client: the clients share the cores with the server. */
const thinkMs = 50

async function run(run: ProofRun) {
  const server = await run.startServer(await run.newDatabase())
  const { id: flowId } = await server.post('/flows/', { name: 'shared' })
  const failures = new FailureCounts()
  const times: number[] = []
  let [locked, reads, stopped] = [0, 0, false]
  const note = (response: Response): void => {
    if (isSuccess(response)) return
    failures.add(response)
    if (/locked|busy/i.test(response.problem)) locked += 1
    run.record('failures.jsonl', response.problem)
  }
  const write = async (path: string, body: unknown): Promise<Response> => {
    const began = performance.now()
    const response = await send(server.url, 'POST', path, body)
    times.push(performance.now() - began)
    note(response)
    await pause(thinkMs)
    return response
  }
  const writer = async (index: number): Promise<void> => {
    for (let n = 0; !stopped; n += 1) {
      const { body } = await write('/flow_runs/', { flow_id: flowId, tags: [`writer ${index}`], state: { type: 'PENDING' } })
      if (!body?.id) continue
      await write(`/flow_runs/${body.id}/set_state`, { state: { type: 'RUNNING' } })
      const line = { level: 20, name: 'proof', message: `line ${n}`, timestamp: new Date().toISOString(), flow_run_id: body.id }
      await write('/logs/', [line, line])
      await write(`/flow_runs/${body.id}/set_state`, { state: { type: 'COMPLETED' } })
    }
  }
  /** What the pages of the dashboard ask for. */
  const dashboard = async (): Promise<void> => {
    const paths: [string, unknown][] = [
      ['/flow_runs/paginate', { limit: 25, sort: 'START_TIME_DESC' }],
      ['/flow_runs/count', { flow_runs: { state: { type: { any_: ['RUNNING'] } } } }],
      ['/events/filter', { limit: 50 }],
      ['/ui/flow_runs/count-task-runs', { flow_run_ids: [] }],
      ['/logs/filter', { limit: 50 }],
    ]
    while (!stopped) {
      for (const [path, body] of paths) note(await send(server.url, 'POST', path, body))
      reads += paths.length
      await pause(200)
    }
  }
  const clients = [...Array.from({ length: writers }, (_, index) => writer(index)), ...Array.from({ length: readers }, dashboard)]
  // Connections and compiled code of the first second are not part of the promise.
  await pause(2000)
  times.length = 0
  const began = performance.now()
  await pause(run.amount * 1000)
  const seconds = (performance.now() - began) / 1000
  const measured = times.slice()
  stopped = true
  await Promise.all(clients)
  run.amountText = `${writers} writers and ${readers} dashboards for ${run.amount} s`
  return [
    observed('writes', `${measured.length} (${Math.round(measured.length / seconds)}/s)`),
    exactly('responses that mention a locked or busy database', locked, 0),
    exactly('other failures', failures.except() - locked, 0),
    below('p99 of a write', percentile(measured, 0.99), 250, 'ms'),
    observed('p50 of a write', `${percentile(measured, 0.5).toFixed(1)} ms`),
    observed('reads of dashboards', reads),
  ]
}

export const sqliteContention: Proof = {
  id: 'R16',
  promise: '64 clients write to one SQLite file without a locked database',
  databases: ['sqlite'],
  full: { amount: 60, unit: 's' },
  method: `${writers} clients create runs, set states and send logs with ${thinkMs} ms between two requests, while ${readers} clients ask for what the pages of the dashboard show.`,
  failure: 'A response mentions a locked or busy database, any other request fails, or 1 % of the writes take 250 ms or more.',
  run,
}
