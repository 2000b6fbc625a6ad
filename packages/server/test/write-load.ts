import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { ServerProcess } from './server-process.ts'

/** One request of a load: start, duration and result. */
export interface Attempt {
  readonly startedMs: number
  readonly durationMs: number
  /** 0 when no response arrived within the limit or the connection broke. */
  readonly status: number
  readonly path: string
  readonly retryAfter: string | null
  readonly detail: string
}

export interface WriteLoad {
  readonly attempts: readonly Attempt[]
  /** Resolves after this number of further successful requests. */
  waitForSuccesses(count: number): Promise<void>
  /** Resolves when each client has started and finished another request. */
  waitForNextRound(): Promise<void>
  stop(): Promise<void>
}

interface LoadOptions {
  readonly clients: number
  /** A flow that all clients change, so that they contend for one row. */
  readonly flowId: string
  readonly timeoutMs: number
}

/** Clients that write without pause: runs, states and a shared flow, with reads in between. */
export function startWriteLoad({ url }: ServerProcess, { clients, flowId, timeoutMs: limitMs }: LoadOptions): WriteLoad {
  const attempts: Attempt[] = []
  const rounds = Array.from({ length: clients }, () => 0)
  const watchers = new Set<() => void>()
  let successes = 0
  let stopped = false

  async function send(method: string, path: string, body: unknown): Promise<{ status: number; answer: unknown }> {
    const began = performance.now()
    const note = (status: number, retryAfter: string | null, detail: string) => {
      attempts.push({ startedMs: began, durationMs: performance.now() - began, status, path: `${method} ${path}`, retryAfter, detail })
      if (status >= 200 && status < 300) successes += 1
    }
    try {
      const response = await fetch(`${url}/api${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(limitMs),
      })
      const text = await response.text()
      note(response.status, response.headers.get('retry-after'), response.ok ? '' : text)
      return { status: response.status, answer: text === '' ? null : JSON.parse(text) }
    } catch (error) {
      note(0, null, String(error))
      return { status: 0, answer: undefined }
    }
  }

  /** Like the retries of real clients, with shorter delays. */
  const comeBack = (status: number) => (status === 0 || status === 503 ? pause(100) : undefined)

  async function client(index: number): Promise<void> {
    for (let n = 0; !stopped; n += 1) {
      const { status, answer } = await send('POST', '/flow_runs/', {
        flow_id: flowId,
        name: randomUUID(),
        state: { type: 'PENDING', name: 'Pending' },
      })
      if (status === 201) {
        const { id } = answer as { id: string }
        await send('POST', `/flow_runs/${id}/set_state`, { state: { type: 'RUNNING', name: 'Running' } })
        await send('POST', '/flow_runs/filter', { limit: 5 })
      }
      const changed = await send('PATCH', `/flows/${flowId}`, { tags: [`${index} ${n}`] })
      rounds[index] = n + 1
      for (const watcher of [...watchers]) watcher()
      await comeBack(changed.status)
    }
  }

  const until = (isDone: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const watcher = () => {
        if (!isDone() && !stopped) return
        watchers.delete(watcher)
        resolve()
      }
      watchers.add(watcher)
    })

  const running = Promise.all(Array.from({ length: clients }, (_, index) => client(index)))
  return {
    attempts,
    waitForSuccesses(count) {
      const wanted = successes + count
      return until(() => successes >= wanted)
    },
    waitForNextRound() {
      // The current round may have started earlier; the next one has not.
      const wanted = rounds.map((done) => done + 2)
      return until(() => rounds.every((done, index) => done >= (wanted[index] as number)))
    },
    async stop() {
      stopped = true
      for (const watcher of [...watchers]) watcher()
      await running
    },
  }
}

export const slowestMs = (attempts: readonly Attempt[]): number => Math.round(Math.max(0, ...attempts.map(({ durationMs: tookMs }) => tookMs)))
