/** The total time of all work per turn. A running step is finished. */
const sliceSecondsPerTurn = 0.005

/**
 * Divides long work over turns of the event loop. All work shares a few milliseconds of each turn: ten large requests at once slow down each other, but
 * no other request.
 */
export class SliceScheduler {
  readonly #now: () => number
  readonly #waiting: (() => boolean)[] = []
  #isScheduled = false

  /** `now` is in seconds. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Each step should take at most a few milliseconds. */
  run<T>(steps: Generator<void, T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          const { done, value } = steps.next()
          if (done) resolve(value)
          return !done
        } catch (error) {
          reject(error as Error)
          return false
        }
      })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      const until = this.#now() + sliceSecondsPerTurn
      do {
        const step = this.#waiting.shift()
        if (step?.()) this.#waiting.push(step)
      } while (this.#waiting.length > 0 && this.#now() < until)
      this.#schedule()
    })
  }
}
