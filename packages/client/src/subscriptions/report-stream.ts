import type { RecordAnswer, ReportedFrame, RunRecord } from '@millrace/contracts/run-report.ts'
import { MillraceError } from '../errors.ts'
import type { CallOptions, HttpClient } from '../http.ts'
import { Connection } from './connection.ts'

export interface ReportStreamOptions {
  /** Messages that may wait for their answers. Others wait in the client. Default: 8. */
  readonly inFlightMax?: number
  /** Closes the connection if a message is not answered for this long. Default: 60. */
  readonly timeoutSeconds?: number
  /** Ends the stream: what waits rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

interface Message {
  readonly records: readonly RunRecord[]
  readonly resolve: (answers: RecordAnswer[]) => void
  readonly reject: (error: unknown) => void
}

type SendByRequest = (records: readonly RunRecord[], options: CallOptions) => Promise<RecordAnswer[]>

/** How long requests replace the connection after it was lost, and if there was none: some proxies pass no sockets. */
const lostSeconds = 1
const missingSeconds = 30

/**
 * Sends records over one WebSocket, in order, and returns their answers. Messages without an answer are sent again when the connection is lost, by a request
 * if there is no other connection: the server recognizes what it has stored.
 */
export class ReportStream {
  readonly #http: HttpClient
  readonly #sendByRequest: SendByRequest
  readonly #options: ReportStreamOptions
  /** Messages without an answer; the first `#inFlight` of them are sent. */
  readonly #waiting: Message[] = []
  #inFlight = 0
  #connection: Connection<ReportedFrame> | undefined
  #isReady = false
  #connectsAt = 0
  #working: Promise<void> | undefined
  #isClosed = false

  constructor(http: HttpClient, sendByRequest: SendByRequest, options: ReportStreamOptions = {}) {
    this.#http = http
    this.#sendByRequest = sendByRequest
    this.#options = options
    options.signal?.addEventListener('abort', () => this.#connection?.close(), { once: true })
  }

  /** Sends at most 1,000 records about runs. Resolves when the server has stored them, with the answer to each. */
  send(records: readonly RunRecord[]): Promise<RecordAnswer[]> {
    if (this.#isClosed) return Promise.reject(new MillraceError('The report stream is closed'))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ records, resolve, reject })
      this.#fill()
      this.#working ??= this.#work()
    })
  }

  /** Waits for the answers to all messages, and closes the connection. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#working
    this.#connection?.close()
  }

  async #work(): Promise<void> {
    // The caller has to know the promise of this loop before it ends.
    await undefined
    while (this.#waiting.length > 0) {
      const { signal } = this.#options
      if (signal?.aborted) {
        for (const { reject } of this.#waiting.splice(0)) reject(signal.reason)
      } else if (await this.#isConnected()) {
        this.#fill()
        await this.#receive()
      } else await this.#sendFirstByRequest()
    }
    // Before anybody else runs, so that the next message begins anew.
    this.#working = undefined
  }

  async #isConnected(): Promise<boolean> {
    if (!this.#connection && Date.now() < this.#connectsAt) return false
    this.#connection ??= this.#connect()
    this.#isReady = await this.#connection.ready()
    if (!this.#isReady) this.#lose(missingSeconds)
    return this.#isReady
  }

  #connect(): Connection<ReportedFrame> {
    return new Connection<ReportedFrame>(this.#http, {
      path: '/runs/report',
      itemOf: (frame) => (frame.type === 'reported' || frame.type === 'refused' ? (frame as unknown as ReportedFrame) : undefined),
      bufferMax: Number.POSITIVE_INFINITY,
      idleSecondsMax: this.#options.timeoutSeconds ?? 60,
    })
  }

  /** Sends as many messages as may be on their way. */
  #fill(): void {
    while (this.#isReady && this.#inFlight < Math.min(this.#waiting.length, this.#options.inFlightMax ?? 8)) {
      const { records } = this.#waiting[this.#inFlight] as Message
      this.#connection?.send({ type: 'report', records })
      this.#inFlight += 1
    }
  }

  async #receive(): Promise<void> {
    const next = await this.#connection?.next()
    if (!next || !('item' in next)) {
      this.#lose(next?.isDeliberate ? 0 : lostSeconds)
      return
    }
    if (next.item.type === 'reported') {
      this.#inFlight -= 1
      this.#waiting.shift()?.resolve([...next.item.answers])
      return
    }
    // A message has no status: the same request returns the error itself, with its class and request id.
    this.#inFlight -= 1
    await this.#sendFirstByRequest()
  }

  #lose(seconds: number): void {
    this.#connection?.close()
    this.#connection = undefined
    this.#isReady = false
    this.#inFlight = 0
    this.#connectsAt = Date.now() + seconds * 1000
  }

  async #sendFirstByRequest(): Promise<void> {
    const { records, resolve, reject } = this.#waiting.shift() as Message
    await this.#sendByRequest(records, { signal: this.#options.signal }).then(resolve, reject)
  }
}
