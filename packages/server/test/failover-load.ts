import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type Random, systemRandom } from '../src/lib/random.ts'

/** A change that the server has acknowledged. */
export type Acknowledged =
  | { readonly kind: 'run'; readonly id: string; readonly key: string }
  | { readonly kind: 'state'; readonly runId: string; readonly type: string; readonly transitionId: string }

export interface FailoverLoad {
  readonly acknowledged: readonly Acknowledged[]
  /** Time from the first failed attempt to the success of each request that failed at first, in milliseconds. */
  readonly outages: readonly number[]
  /** The duration of each request with all its attempts, in milliseconds. */
  readonly durations: readonly number[]
  /** Failed attempts by what the client saw: a status or the code of a broken connection. */
  readonly failures: ReadonlyMap<string, number>
  /** Resolves after this number of further acknowledged changes. */
  waitFor(count: number): Promise<void>
  /** Resolves when all clients have ended. */
  readonly ended: Promise<void>
  /** Ends the clients after their current request, or at its next failure. */
  stop(): Promise<void>
}

interface LoadOptions {
  readonly clients: number
  /** Requests of all clients together per second. Without it each client sends its next request at once. */
  readonly rate?: number
  readonly flowId: string
  /** The number of runs, after which the clients end. Without it they go on until `stop`. */
  readonly runs?: number
  readonly random?: Random
  /** Called with each change before it counts. */
  readonly onAcknowledged?: (change: Acknowledged) => void
  /** Called with each failed attempt: a status, or the code of a broken connection, and the body. */
  readonly onFailure?: (failure: string, text: string, path: string) => void
}

/** The load was stopped while a request was failing. */
class StoppedError extends Error {}

const retryMs = 100
const attemptMsMax = 5000

/** Clients that create runs and change their states, and repeat a request with the same key when it fails, as clients of the API do. */
export function startFailoverLoad(url: string, options: LoadOptions): FailoverLoad {
  const { clients, rate = Number.POSITIVE_INFINITY, flowId, runs = Number.POSITIVE_INFINITY, random = systemRandom() } = options
  const acknowledged: Acknowledged[] = []
  const outages: number[] = []
  const durations: number[] = []
  const failures = new Map<string, number>()
  const intervalMs = (1000 * clients) / rate
  const watchers = new Set<() => void>()
  let stopped = false
  let startedRuns = 0

  const acknowledge = (change: Acknowledged): void => {
    options.onAcknowledged?.(change)
    acknowledged.push(change)
    for (const watcher of [...watchers]) watcher()
  }

  async function client(agent: Agent): Promise<void> {
    let nextMs = performance.now() + random.next() * intervalMs
    const send = async (path: string, body: unknown): Promise<{ id: string; status: string }> => {
      if (intervalMs > 0) await pause(Math.max(0, nextMs - performance.now()))
      nextMs = Math.max(nextMs + intervalMs, performance.now())
      const beganAt = performance.now()
      let failedAt: number | undefined
      for (;;) {
        const { status, text } = await post(agent, `${url}/api${path}`, body)
        if (status === 200 || status === 201) {
          durations.push(performance.now() - beganAt)
          if (failedAt !== undefined) outages.push(performance.now() - failedAt)
          return JSON.parse(text)
        }
        failedAt ??= performance.now()
        const failure = String(status === 0 ? text : status)
        failures.set(failure, (failures.get(failure) ?? 0) + 1)
        options.onFailure?.(failure, text, path)
        // The outcome stays unknown. Without this, `stop` would wait for a server that is gone.
        if (stopped) throw new StoppedError()
        await pause(retryMs)
      }
    }
    while (!stopped && startedRuns < runs) {
      startedRuns += 1
      const key = randomUUID()
      const run = await send('/flow_runs/', { flow_id: flowId, name: key, idempotency_key: key, state: { type: 'PENDING' } })
      acknowledge({ kind: 'run', id: run.id, key })
      for (const type of ['RUNNING', 'COMPLETED']) {
        const transitionId = randomUUID()
        const { status } = await send(`/flow_runs/${run.id}/set_state`, { state: { type, state_details: { transition_id: transitionId } } })
        // A repeated transition is rejected, because it was already made.
        if (status === 'ACCEPT' || status === 'REJECT') acknowledge({ kind: 'state', runId: run.id, type, transitionId })
      }
    }
  }

  const agents = Array.from({ length: clients }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  const ignoreStop = (error: unknown) => {
    if (!(error instanceof StoppedError)) throw error
  }
  const ended = Promise.all(agents.map((agent) => client(agent).catch(ignoreStop))).then(() => {
    for (const agent of agents) agent.destroy()
  })
  return {
    acknowledged,
    outages,
    durations,
    failures,
    waitFor(count) {
      const wanted = acknowledged.length + count
      return new Promise((resolve) => {
        const watcher = () => {
          if (acknowledged.length < wanted) return
          watchers.delete(watcher)
          resolve()
        }
        watchers.add(watcher)
      })
    },
    ended,
    async stop() {
      stopped = true
      await ended
    },
  }
}

/** Status 0 and the code of the error when no response arrives. */
function post(agent: Agent, url: string, body: unknown): Promise<{ status: number; text: string }> {
  const sent = JSON.stringify(body)
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }
    const call = request(url, { agent, method: 'POST', headers, timeout: attemptMsMax }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => {
        text += piece
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      response.on('error', fail)
    })
    const fail = (error: NodeJS.ErrnoException) => resolve({ status: 0, text: error.code ?? error.message })
    call.on('timeout', () => call.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })))
    call.on('error', fail)
    call.end(sent)
  })
}
