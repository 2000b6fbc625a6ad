import { monotonicSeconds } from './time.ts'

/** Long enough to get work done, short enough that requests in between wait for nothing that they could notice. */
const sliceSeconds = 0.01

/** Long work in slices: ask `isOver` between two small steps, and await `next` when it is. Requests get their turn there. */
export class TimeSlice {
  #began = monotonicSeconds()

  get isExhausted(): boolean {
    return monotonicSeconds() - this.#began >= sliceSeconds
  }

  async next(): Promise<void> {
    await yieldToEventLoop()
    this.#began = monotonicSeconds()
  }
}

/** Lets the event loop serve others before long work goes on. On SQLite a query waits for nothing, so nobody else gets a turn otherwise. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
