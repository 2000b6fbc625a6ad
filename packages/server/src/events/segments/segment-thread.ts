import { Worker } from 'node:worker_threads'
import { afterSeconds } from '../../lib/time.ts'
import { perServer } from '../../storage/server-context.ts'
import type { EventRow } from '../store.ts'
import type { EncodedSegment, SegmentBuild } from './segment-builder.ts'
import type { BuildAnswer, BuildRequest } from './segment-worker.ts'

/** Next to this file, or next to the bundle: see scripts/build-server.ts. */
const entry = new URL(import.meta.url.endsWith('.ts') ? './segment-worker.ts' : './segment-worker.mjs', import.meta.url)

/** Longer than the time between two passes of the service, so that a busy server keeps the thread with its compiled code. */
const idleSecondsMax = 30

/**
 * A thread that builds segments, one at a time. It starts with the first one and ends when there is nothing to build for a while. On the thread that serves
 * requests the same work delayed them, and its short-lived objects made the heap grow (ADR 0040).
 */
export class SegmentThread {
  readonly #idleSeconds: number
  #running: RunningThread | undefined
  #stopIdleTimer = (): void => {}

  constructor(idleSeconds = idleSecondsMax) {
    this.#idleSeconds = idleSeconds
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** Begins a segment. One that was not encoded is discarded. */
  begin(size: number): SegmentBuild {
    this.#post({ begin: size })
    return new ThreadBuild((request) => this.#ask(request))
  }

  async close(): Promise<void> {
    this.#stopIdleTimer()
    const running = this.#running
    this.#running = undefined
    await running?.worker.terminate()
  }

  #ask(request: BuildRequest): Promise<BuildAnswer> {
    const answer = Promise.withResolvers<BuildAnswer>()
    this.#post(request, answer)
    return answer.promise
  }

  #post(request: BuildRequest, answer?: PromiseWithResolvers<BuildAnswer>): void {
    this.#running ??= this.#start()
    if (answer) this.#running.waiting.push(answer)
    this.#running.worker.postMessage(request)
    this.#closeWhenIdle()
  }

  #start(): RunningThread {
    // It needs no environment variables.
    const worker = new Worker(entry, { name: 'segments', env: {}, execArgv: [] })
    const running: RunningThread = { worker, waiting: [] }
    let cause: unknown
    worker.unref()
    worker.on('message', (answer: BuildAnswer) => {
      running.waiting.shift()?.resolve(answer)
      this.#closeWhenIdle()
    })
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', (code) => {
      if (this.#running === running) this.#running = undefined
      const error = new Error(`The thread that builds event segments ended with code ${code}`, { cause })
      for (const { reject } of running.waiting) reject(error)
    })
    return running
  }

  #closeWhenIdle(): void {
    this.#stopIdleTimer()
    if (this.#running?.waiting.length === 0) this.#stopIdleTimer = afterSeconds(this.#idleSeconds, () => void this.close())
  }
}

interface RunningThread {
  readonly worker: Worker
  /** Requests without an answer, in their order. */
  readonly waiting: PromiseWithResolvers<BuildAnswer>[]
}

class ThreadBuild implements SegmentBuild {
  readonly positions: number[] = []
  readonly #ask: (request: BuildRequest) => Promise<BuildAnswer>
  #added: Promise<unknown> = Promise.resolve()

  constructor(ask: (request: BuildRequest) => Promise<BuildAnswer>) {
    this.#ask = async (request) => {
      const answer = await ask(request)
      if ('failure' in answer) throw new Error(`An event segment could not be built: ${answer.failure}`)
      return answer
    }
  }

  /** Resolves when the rows before these are added, so that the next ones are read meanwhile. */
  async add(rows: readonly EventRow[]): Promise<void> {
    await this.#added
    for (const { position } of rows) this.positions.push(position)
    this.#added = this.#ask({ add: rows })
    // Reported by the next call. A build that is discarded has none.
    this.#added.catch(() => undefined)
  }

  async encode(): Promise<EncodedSegment> {
    await this.#added
    const answer = await this.#ask({ encode: true })
    return (answer as { readonly encoded: EncodedSegment }).encoded
  }
}

/** The thread of a server. */
export const segmentThread = perServer(() => new SegmentThread())
