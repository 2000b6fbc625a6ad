import { hash } from 'node:crypto'
import { closing, schemaChecksBusy } from '../errors.ts'
import { LruCache } from '../lib/lru-cache.ts'
import { addSeconds, afterSeconds, type Clock, type Micros, monotonicSeconds } from '../lib/time.ts'
import type { Request } from './operations.ts'
import { limitRefusal, type SchemaRefusal } from './refusal.ts'
import { SchemaThread, type ThreadLimits, type ThreadOutcome } from './schema-thread.ts'

export interface ThreadPoolLimits extends ThreadLimits {
  /** Maximum number of queued requests. More are rejected with 503. */
  readonly queuedMax: number
}

export type ThreadResult = { readonly answer: unknown } | { readonly refusal: SchemaRefusal }

interface Job {
  readonly request: Request
  readonly schemaKey: string
  readonly resolve: (result: ThreadResult) => void
  readonly reject: (error: unknown) => void
  readonly queuedAt: number
  isRetry: boolean
  stopWaiting: () => void
}

interface Thread {
  readonly thread: SchemaThread
  readonly queue: Job[]
}

/** How long a request that exceeded a limit is rejected without another check. */
const rejectionSeconds = 60
const waitSecondsMax = 10
/** From this wait on, the newest request is next. */
const overloadSeconds = 1

/**
 * Two worker threads and their queues. A request goes to the open thread; when that is busy and the schema was fast before, to the reserved one, so
 * that slow new schemas cannot block the schemas in use. A schema that compiles too slowly is rejected for a minute. If a value takes too long, only
 * that value is rejected, because other users may use the schema.
 */
export class SchemaThreadPool {
  readonly #limits: ThreadPoolLimits
  readonly #clock: Clock
  readonly #open: Thread
  readonly #reserved: Thread
  readonly #fastSchemas = new LruCache<string, true>({ entriesMax: 1000 })
  /** Schemas, and requests with their values, that exceeded a limit. */
  readonly #refused = new LruCache<string, { readonly until: Micros; readonly refusal: SchemaRefusal | undefined }>({ entriesMax: 1000 })
  #isClosed = false

  constructor(limits: ThreadPoolLimits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
    this.#open = this.#newThread()
    this.#reserved = this.#newThread()
  }

  run(request: Request): Promise<ThreadResult> {
    const schemaKey = hash('sha1', request.request.schema)
    const refusal = this.#knownRefusal(schemaKey, request)
    if (refusal) return Promise.resolve({ refusal })
    if (this.#isClosed) return Promise.reject(closing())
    if (this.#open.queue.length + this.#reserved.queue.length >= this.#limits.queuedMax) return Promise.reject(schemaChecksBusy())
    return new Promise((resolve, reject) => {
      const job: Job = { request, schemaKey, resolve, reject, queuedAt: monotonicSeconds(), isRetry: false, stopWaiting: () => {} }
      const target = !this.#open.thread.isIdle && this.#fastSchemas.get(schemaKey) ? this.#reserved : this.#open
      target.queue.push(job)
      if (!target.thread.isIdle) job.stopWaiting = afterSeconds(waitSecondsMax, () => giveUp(target, job))
      this.#next(target)
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const { queue } of [this.#open, this.#reserved]) {
      for (const job of queue.splice(0)) {
        job.stopWaiting()
        job.reject(closing())
      }
    }
    await Promise.all([this.#open.thread.close(), this.#reserved.thread.close()])
  }

  #newThread(): Thread {
    const created: Thread = { queue: [], thread: new SchemaThread(this.#limits, () => this.#next(created)) }
    return created
  }

  #next(target: Thread): void {
    if (!target.thread.isIdle || this.#isClosed) return
    const job = takeNext(target.queue)
    if (!job) return
    job.stopWaiting()
    // Another request with this schema may have exceeded a limit since.
    const refusal = this.#knownRefusal(job.schemaKey, job.request)
    if (!refusal) return void target.thread.run(job.request).then((outcome) => this.#finish(target, job, outcome))
    job.resolve({ refusal })
    this.#next(target)
  }

  #finish(target: Thread, job: Job, outcome: ThreadOutcome): void {
    if ('answer' in outcome) {
      if (outcome.wasFast) this.#fastSchemas.set(job.schemaKey, true)
      else this.#fastSchemas.delete(job.schemaKey)
      job.resolve(outcome)
    } else if ('stopped' in outcome) {
      // The cached schemas of the thread may have used the memory.
      if (outcome.stopped === 'memory' && outcome.hadServed && !job.isRetry) {
        job.isRetry = true
        target.queue.unshift(job)
        this.#next(target)
      } else job.resolve({ refusal: this.#rememberRefusal(job, outcome) })
    } else job.reject('closed' in outcome ? closing() : new Error(outcome.failure))
  }

  #rememberRefusal({ request, schemaKey }: Job, { stopped, phase }: Extract<ThreadOutcome, { stopped: unknown }>): SchemaRefusal {
    const { timeoutSeconds, memoryMegabytes } = this.#limits
    const excess =
      stopped === 'timeout'
        ? `longer than ${timeoutSeconds} s to check (setting server.schemas.timeout_seconds)`
        : `more than ${memoryMegabytes} MB of memory to check (setting server.schemas.memory_limit_bytes)`
    const refusal = limitRefusal(`The schema took ${excess}. Simplify it.`)
    const until = addSeconds(this.#clock.now(), rejectionSeconds)
    this.#fastSchemas.delete(schemaKey)
    if (phase === 'compiling') this.#refused.set(schemaKey, { until, refusal })
    else {
      this.#refused.set(schemaKey, { until, refusal: undefined })
      this.#refused.set(requestKey(request), { until, refusal })
    }
    return refusal
  }

  #knownRefusal(schemaKey: string, request: Request): SchemaRefusal | undefined {
    const ofSchema = this.#unexpired(schemaKey)
    if (!ofSchema) return undefined
    return ofSchema.refusal ?? this.#unexpired(requestKey(request))?.refusal
  }

  #unexpired(key: string) {
    const entry = this.#refused.get(key)
    if (entry && entry.until > this.#clock.now()) return entry
    this.#refused.delete(key)
    return undefined
  }
}

/**
 * The oldest request, or the newest one while requests wait long. Those that wait long are mostly slow ones behind each other: eight bad schemas made a ninth
 * request wait ten seconds for a 503.
 */
function takeNext(queue: Job[]): Job | undefined {
  const oldest = queue[0]
  return oldest && monotonicSeconds() - oldest.queuedAt > overloadSeconds ? queue.pop() : queue.shift()
}

const requestKey = (request: Request): string => hash('sha1', JSON.stringify(request))

function giveUp({ queue }: Thread, job: Job): void {
  const index = queue.indexOf(job)
  if (index < 0) return
  queue.splice(index, 1)
  job.reject(schemaChecksBusy())
}
