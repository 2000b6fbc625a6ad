import { afterSeconds, monotonicSeconds } from '../lib/time.ts'

export interface ExporterOptions {
  /** Address of the collector without the path of the signal, such as `http://127.0.0.1:4318`. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  /** Longest time that an item waits. */
  readonly flushSeconds: number
  /** Called when items were lost, at most once a minute. */
  onLoss(message: string): void
}

/** Items that wait for the collector. More are dropped: telemetry must not use the memory of the server. */
const waitingMax = 4096
const batchMax = 512
const attemptsMax = 5
const requestSecondsMax = 10
const closeSecondsMax = 3
const lossReportSeconds = 60

/** Sends items of one signal to an OTLP collector in batches. Loses items rather than delaying the server. */
export class OtlpExporter<T> {
  readonly #url: string
  readonly #encode: (items: readonly T[]) => object
  readonly #options: ExporterOptions
  #waiting: T[] = []
  #stopTimer: (() => void) | undefined
  #sending: Promise<void> | undefined
  #isClosed = false
  #lost = 0
  #lossReportedAt = Number.NEGATIVE_INFINITY

  constructor(signal: 'traces' | 'metrics' | 'logs', encode: (items: readonly T[]) => object, options: ExporterOptions) {
    this.#url = `${options.endpoint.replace(/\/+$/, '')}/v1/${signal}`
    this.#encode = encode
    this.#options = options
  }

  add(item: T): void {
    if (this.#isClosed || this.#waiting.length >= waitingMax) {
      this.#reportLoss(1, 'the collector is too slow')
      return
    }
    this.#waiting.push(item)
    if (this.#waiting.length >= batchMax) void this.#send()
    else this.#stopTimer ??= afterSeconds(this.#options.flushSeconds, () => void this.#send())
  }

  /** Sends what waits, once and in bounded time. */
  async close(): Promise<void> {
    this.#isClosed = true
    let stopTimer = () => {}
    const timeout = new Promise<void>((resolve) => {
      stopTimer = afterSeconds(closeSecondsMax, resolve)
    })
    await Promise.race([this.#send(), timeout])
    stopTimer()
  }

  #send(): Promise<void> {
    this.#stopTimer?.()
    this.#stopTimer = undefined
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined
    })
    return this.#sending
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) await this.#sendBatch(this.#waiting.splice(0, batchMax))
  }

  async #sendBatch(items: readonly T[]): Promise<void> {
    const body = JSON.stringify(this.#encode(items))
    for (let attempt = 1; ; attempt += 1) {
      const problem = await this.#post(body)
      if (problem === undefined) return
      if (!problem.isTransient || attempt === attemptsMax || this.#isClosed) return this.#reportLoss(items.length, problem.reason)
      await new Promise<void>((resolve) => afterSeconds(problem.retrySeconds ?? Math.min(30, 2 ** (attempt - 1)), resolve))
    }
  }

  async #post(body: string): Promise<{ reason: string; isTransient: boolean; retrySeconds?: number } | undefined> {
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...this.#options.headers },
        body,
        signal: AbortSignal.timeout(requestSecondsMax * 1000),
      })
      await response.arrayBuffer()
      if (response.ok) return undefined
      const retryAfter = Number(response.headers.get('retry-after'))
      return {
        reason: `the collector answered ${response.status}`,
        isTransient: [429, 502, 503, 504].includes(response.status),
        ...(retryAfter > 0 ? { retrySeconds: Math.min(60, retryAfter) } : {}),
      }
    } catch (error) {
      return { reason: `the collector cannot be reached: ${error instanceof Error ? error.message : String(error)}`, isTransient: true }
    }
  }

  #reportLoss(count: number, reason: string): void {
    this.#lost += count
    const now = monotonicSeconds()
    if (now - this.#lossReportedAt < lossReportSeconds) return
    this.#options.onLoss(`${this.#lost} items of telemetry for ${this.#url} were lost: ${reason}`)
    this.#lossReportedAt = now
    this.#lost = 0
  }
}
