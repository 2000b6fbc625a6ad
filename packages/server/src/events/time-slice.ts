import { stopwatch } from '../lib/time.ts'
import { othersFirst } from './others-first.ts'

/** Long enough to get work done, short enough that requests in between wait for nothing that they could notice. */
const sliceMs = 10

/** Long work in slices: ask `isOver` between two small steps, and await `next` when it is. Requests get their turn there. */
export class TimeSlice {
  #elapsedMs = stopwatch()

  get isOver(): boolean {
    return this.#elapsedMs() >= sliceMs
  }

  async next(): Promise<void> {
    await othersFirst()
    this.#elapsedMs = stopwatch()
  }
}
