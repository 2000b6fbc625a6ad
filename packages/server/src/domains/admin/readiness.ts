import { closing } from '../../errors.ts'
import { type Micros, secondsBetween } from '../../lib/time.ts'
import { perServer } from '../../storage/per-server.ts'
import type { ServerContext } from '../../storage/server-context.ts'

/** Balancers poll at least this often: the slowest default among the common ones is 30 seconds. */
const polledWithinSeconds = 90

/** How long balancers get to notice: those that ask once a second and believe the third answer need three. */
const noticeSeconds = 5

/** Whether `/ready` is to send requests elsewhere, and whether anything polls it. */
class Readiness {
  readonly #context: ServerContext
  #isEnding = false
  #lastAsked: Micros | undefined
  #askedBefore: Micros | undefined

  constructor(context: ServerContext) {
    this.#context = context
  }

  /** Called by `/ready`. Throws when the server is about to end. */
  check(): void {
    if (this.#isEnding) throw closing()
    this.#askedBefore = this.#lastAsked
    this.#lastAsked = this.#context.clock.now()
  }

  /** From now on `/ready` is 503. Returns for how long the server should go on answering. */
  end(): number {
    this.#isEnding = true
    return this.#context.config.server.shutdown_delay_seconds ?? (this.#isPolled() ? noticeSeconds : 0)
  }

  /** Asking once proves nothing: scripts that start a server do so too. */
  #isPolled(): boolean {
    return this.#askedBefore !== undefined && secondsBetween(this.#askedBefore, this.#context.clock.now()) <= polledWithinSeconds
  }
}

export const readinessOf = perServer((context) => new Readiness(context))
