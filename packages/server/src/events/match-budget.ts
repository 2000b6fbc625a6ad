import { CheckLimitExceeded } from '../errors.ts'

/** Patterns that take too long to match. */
export class MatchLimitExceeded extends CheckLimitExceeded {
  readonly reason: string

  constructor(reason: string) {
    super(['body', 'filter'], reason)
    this.reason = reason
  }
}

/** One event against the patterns of one trigger or filter: about a millisecond. A pattern of 1,000 characters and a text of 4,000 take 130,000 steps. */
export const stepsPerEvent = 250_000
/** The thousands of texts of a segment against the patterns of a filter: some 50 milliseconds. */
export const stepsPerSegment = 10_000_000

/** Limits the steps of matching. What exceeds it is given up with an error, because it would keep the event loop from everything else. */
export class MatchBudget {
  readonly #steps: number
  #left: number

  constructor(steps: number) {
    this.#steps = steps
    this.#left = steps
  }

  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) {
      throw new MatchLimitExceeded(`Matching the patterns takes more than ${this.#steps} steps. Use fewer or shorter patterns, or fewer wildcards.`)
    }
  }
}
