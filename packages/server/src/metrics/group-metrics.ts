import { afterSeconds } from '../lib/time.ts'
import type { ProcessSnapshot } from './routes.ts'

/** Messages between the processes of a server, which the primary passes on. */
export type MetricsMessage =
  /** One process asks all others. The primary adds who asked. */
  | { readonly kind: 'metrics-wanted'; readonly request: number; readonly asker?: number }
  /** The primary tells the asker how many processes it asked. */
  | { readonly kind: 'metrics-asked'; readonly request: number; readonly others: number }
  | { readonly kind: 'metrics'; readonly request: number; readonly asker: number; readonly snapshot: ProcessSnapshot }

/** A process that does not answer in this time is left out. A scraper waits ten seconds by default. */
const answerSeconds = 2

interface Request {
  readonly snapshots: ProcessSnapshot[]
  others: number | undefined
  end(): void
}

/** Collects the metrics of the other processes of a server. */
export class GroupMetrics {
  readonly #send: (message: MetricsMessage) => void
  readonly #takeOwn: () => Promise<ProcessSnapshot>
  readonly #requests = new Map<number, Request>()
  #lastRequest = 0

  constructor(send: (message: MetricsMessage) => void, takeOwn: () => Promise<ProcessSnapshot>) {
    this.#send = send
    this.#takeOwn = takeOwn
  }

  ask(): Promise<readonly ProcessSnapshot[]> {
    this.#lastRequest += 1
    const number = this.#lastRequest
    return new Promise((resolve) => {
      const snapshots: ProcessSnapshot[] = []
      const end = () => {
        stopTimer()
        this.#requests.delete(number)
        resolve(snapshots)
      }
      const stopTimer = afterSeconds(answerSeconds, end)
      this.#requests.set(number, { snapshots, others: undefined, end })
      this.#send({ kind: 'metrics-wanted', request: number })
    })
  }

  receive(message: MetricsMessage): void {
    if (message.kind === 'metrics-wanted') return void this.#answer(message.request, message.asker ?? 0)
    const request = this.#requests.get(message.request)
    if (!request) return
    if (message.kind === 'metrics') request.snapshots.push(message.snapshot)
    else request.others = message.others
    if (request.snapshots.length === request.others) request.end()
  }

  async #answer(request: number, asker: number): Promise<void> {
    this.#send({ kind: 'metrics', request, asker, snapshot: await this.#takeOwn() })
  }
}
