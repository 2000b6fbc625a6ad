import { Worker } from 'node:worker_threads'
import { afterSeconds } from '../lib/time.ts'
import type { Request } from './operations.ts'
import { type Phase, phases } from './refusal.ts'
import type { ThreadMessage } from './schema-worker.ts'

export interface ThreadLimits {
  /** The time limit of one request, without the start of the thread. */
  readonly timeoutSeconds: number
  readonly memoryMegabytes: number
  /** A request that finishes within this time counts as fast. */
  readonly fastSeconds?: number
}

/** `stopped`: the request exceeded a limit in that phase; the thread is replaced. `failure`: the thread could not start, or has a defect. */
export type ThreadOutcome =
  | { readonly answer: unknown; readonly wasFast: boolean }
  | { readonly stopped: 'timeout' | 'memory'; readonly phase: Phase; readonly hadServed: boolean }
  | { readonly failure: string }
  | { readonly closed: true }

/** Next to this file, or next to the bundle: see scripts/build-server.ts. */
const entry = new URL(import.meta.url.endsWith('.ts') ? './schema-worker.ts' : './schema-worker.mjs', import.meta.url)

/**
 * A worker thread that serves one request at a time. It starts with the first request. Code that runs too long is terminated with its thread, because
 * nothing else stops a regular expression. The next request gets a new thread once the old one has exited, so that there is never more than one.
 */
export class SchemaThread {
  readonly #limits: ThreadLimits
  readonly #onIdle: () => void
  readonly #phase = new Int32Array(new SharedArrayBuffer(4))
  #worker: Worker | undefined
  #ready = false
  #served = 0
  #request: Request | undefined
  #finish: ((outcome: ThreadOutcome) => void) | undefined
  #isFast = true
  #stopTimers = (): void => {}

  constructor(limits: ThreadLimits, onIdle: () => void) {
    this.#limits = limits
    this.#onIdle = onIdle
  }

  /** False until a terminated thread has exited. */
  get isIdle(): boolean {
    return this.#finish === undefined && (this.#worker === undefined || this.#ready)
  }

  /** Must only be called while idle. */
  run(request: Request): Promise<ThreadOutcome> {
    return new Promise((resolve) => {
      this.#request = request
      this.#finish = resolve
      if (this.#ready) this.#post()
      else this.#start()
    })
  }

  async close(): Promise<void> {
    this.#end({ closed: true })
    this.#ready = false
    await this.#worker?.terminate()
  }

  #start(): void {
    const { memoryMegabytes } = this.#limits
    this.#served = 0
    const worker = new Worker(entry, {
      name: 'schemas',
      workerData: { phase: this.#phase.buffer },
      resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes, maxYoungGenerationSizeMb: 16 },
      // Ajv generates code from user input, so the thread gets no environment variables.
      env: {},
      execArgv: [],
    })
    worker.unref()
    worker.on('message', (message: ThreadMessage) => this.#receive(message))
    worker.on('error', (error: Error & { code?: string }) => {
      this.#ready = false
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      this.#end(isMemory ? this.#limitOutcome('memory') : { failure: error.stack ?? error.message })
    })
    worker.on('exit', (code) => {
      this.#worker = undefined
      this.#ready = false
      this.#end({ failure: `The schema thread exited with code ${code}` })
      this.#onIdle()
    })
    this.#worker = worker
  }

  #receive(message: ThreadMessage): void {
    if ('ready' in message) {
      this.#ready = true
      if (this.#finish) this.#post()
    } else if (this.#ready) {
      this.#served += 1
      this.#end('answer' in message ? { ...message, wasFast: this.#isFast } : message)
      this.#onIdle()
    }
  }

  #post(): void {
    Atomics.store(this.#phase, 0, 0)
    this.#isFast = true
    const stopFast = afterSeconds(this.#limits.fastSeconds ?? 0.05, () => {
      this.#isFast = false
    })
    const stopTimeout = afterSeconds(this.#limits.timeoutSeconds, () => {
      const outcome = this.#limitOutcome('timeout')
      this.#ready = false
      void this.#worker?.terminate()
      this.#end(outcome)
    })
    this.#stopTimers = () => {
      stopFast()
      stopTimeout()
    }
    this.#worker?.postMessage(this.#request)
    this.#request = undefined
  }

  #limitOutcome(stopped: 'timeout' | 'memory'): ThreadOutcome {
    return { stopped, phase: phases[Atomics.load(this.#phase, 0)] ?? 'idle', hadServed: this.#served > 0 }
  }

  #end(outcome: ThreadOutcome): void {
    this.#stopTimers()
    const finish = this.#finish
    this.#finish = undefined
    finish?.(outcome)
  }
}
