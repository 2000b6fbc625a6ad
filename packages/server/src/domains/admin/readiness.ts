import { closing } from '../../errors.ts'
import { type Micros, secondsBetween } from '../../lib/time.ts'
import { perServer, type ServerContext } from '../../storage/server-context.ts'

/** Balancers poll at least this often: the slowest default among the common ones is 30 seconds. */
const pollWindowSeconds = 90

/** How long balancers get to notice: those that ask once a second and believe the third answer need three. */
const drainSeconds = 5

/** Whether `/ready` is to send requests elsewhere, and whether anything polls it. */
class Readiness {
  readonly #context: ServerContext
  #isShuttingDown = false
  #lastPolled: Micros | undefined
  #polledBefore: Micros | undefined

  constructor(context: ServerContext) {
    this.#context = context
  }

  /** Called by `/ready`. Throws when the server is about to end. */
  check(): void {
    if (this.#isShuttingDown) throw closing()
    this.#polledBefore = this.#lastPolled
    this.#lastPolled = this.#context.clock.now()
  }

  /** From now on `/ready` is 503. Returns for how long the server should go on answering. */
  startShutdown(): number {
    this.#isShuttingDown = true
    return this.#context.config.server.shutdown_delay_seconds ?? (this.#isPolled() ? drainSeconds : 0)
  }

  /** Asking once proves nothing: scripts that start a server do so too. */
  #isPolled(): boolean {
    return this.#polledBefore !== undefined && secondsBetween(this.#polledBefore, this.#context.clock.now()) <= pollWindowSeconds
  }
}

export const readiness = perServer((context) => new Readiness(context))
