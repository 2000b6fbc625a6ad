/**
 * Divides long work into turns of the event loop. Only one step is done in each turn, whatever waits: ten large requests at once make each other slower,
 * and nobody else.
 */
export class TurnQueue {
  readonly #waiting: (() => boolean)[] = []
  #isScheduled = false

  /** Each step should take a few milliseconds at most. */
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
      const step = this.#waiting.shift()
      if (step?.()) this.#waiting.push(step)
      this.#schedule()
    })
  }
}
