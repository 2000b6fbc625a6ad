import { Worker } from 'node:worker_threads'
import { afterSeconds } from '../lib/time.ts'
import type { Request } from './operations.ts'
import { type Phase, phases } from './refusal.ts'
import type { ThreadMessage } from './schema-worker.ts'

export interface ThreadLimits {
  /** How long one request may take, without the time that the thread takes to start. */
  readonly timeoutSeconds: number
  readonly memoryMegabytes: number
  /** A request that is answered within this was fast. */
  readonly fastSeconds?: number
}

/** `stopped`: the request ran into a limit, in that phase; the thread is replaced. `failure`: the thread could not start, or a defect of ours. */
export type ThreadOutcome =
  | { readonly answer: unknown; readonly wasFast: boolean }
  | { readonly stopped: 'timeout' | 'memory'; readonly phase: Phase; readonly hadServed: boolean }
  | { readonly failure: string }
  | { readonly closed: true }

/** Beside this file, and beside the bundle once the server is one: see scripts/build-server.ts. */
const entry = new URL(import.meta.url.endsWith('.ts') ? './schema-worker.ts' : './schema-worker.mjs', import.meta.url)

/**
 * One worker thread that serves one request at a time. It starts with the first request. Code that runs too long is ended with its thread, since
 * nothing else ends a regular expression; the next request gets a new thread once the old one is gone, so that there is never more than one.
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

  /** False as long as a thread that was ended is still there. */
  get isIdle(): boolean {
    return this.#finish === undefined && (this.#worker === undefined || this.#ready)
  }

  /** To be called while idle. */
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
      // Ajv makes code of what users send: the thread knows no secret of the environment.
      env: {},
      execArgv: [],
    })
    worker.unref()
    worker.on('message', (sent: ThreadMessage) => this.#receive(sent))
    worker.on('error', (error: Error & { code?: string }) => {
      this.#ready = false
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      this.#end(isMemory ? this.#limitOutcome('memory') : { failure: error.stack ?? error.message })
    })
    worker.on('exit', (code) => {
      this.#worker = undefined
      this.#ready = false
      this.#end({ failure: `The thread that checks schemas ended with ${code}` })
      this.#onIdle()
    })
    this.#worker = worker
  }

  #receive(sent: ThreadMessage): void {
    if ('ready' in sent) {
      this.#ready = true
      if (this.#finish) this.#post()
    } else if (this.#ready) {
      this.#served += 1
      this.#end('answer' in sent ? { ...sent, wasFast: this.#isFast } : sent)
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
