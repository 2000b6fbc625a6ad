import { monotonicSeconds } from './time.ts'

/** Long enough for efficient work, short enough for requests to not notice the delay. */
const sliceSeconds = 0.01

/** Divides long work into slices: check `isExhausted` between small steps, and await `next` to let requests run. */
export class TimeSlice {
  #startedAt = monotonicSeconds()

  get isExhausted(): boolean {
    return monotonicSeconds() - this.#startedAt >= sliceSeconds
  }

  async next(): Promise<void> {
    await yieldToEventLoop()
    this.#startedAt = monotonicSeconds()
  }
}

/** Lets the event loop serve other requests during long work. SQLite queries are synchronous and never yield by themselves. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
