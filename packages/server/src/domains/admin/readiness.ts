import { closing } from '../../errors.ts'
import { afterSeconds, type Micros, secondsBetween } from '../../lib/time.ts'
import { statement } from '../../storage/database.ts'
import { perServer, type ServerContext } from '../../storage/server-context.ts'

const isReadOnly = statement((dialect) => dialect.readOnlyQuery)

/** Load balancers poll every few seconds and time out about as fast. */
const readySecondsMax = 2

/** Load balancers poll at least this often: the slowest common default is 30 seconds. */
const pollWindowSeconds = 90

/** Time for load balancers to notice the shutdown: a poll each second with three failures needs three seconds. */
const drainSeconds = 5

/** The state behind `/ready`: whether the server shuts down, and whether a load balancer polls it. */
class Readiness {
  readonly #context: ServerContext
  /** Called after each check. Servers of several processes tell the others. */
  onCheck: (() => void) | undefined
  #isShuttingDown = false
  #lastPolled: Micros | undefined
  #polledBefore: Micros | undefined

  constructor(context: ServerContext) {
    this.#context = context
  }

  /** Called by `/ready`. Throws during shutdown. */
  check(): void {
    if (this.#isShuttingDown) throw closing()
    this.recordCheck()
    this.onCheck?.()
  }

  /** A check by this process or by another one that shares its port. */
  recordCheck(): void {
    this.#polledBefore = this.#lastPolled
    this.#lastPolled = this.#context.clock.now()
  }

  /** Makes `/ready` answer 503. Returns for how many seconds the server should still serve requests. */
  startShutdown(): number {
    this.#isShuttingDown = true
    return this.#context.config.server.shutdown_delay_seconds ?? (this.#isPolled() ? drainSeconds : 0)
  }

  /** A single request is no load balancer: start scripts send one too. */
  #isPolled(): boolean {
    return this.#polledBefore !== undefined && secondsBetween(this.#polledBefore, this.#context.clock.now()) <= pollWindowSeconds
  }
}

export const readiness = perServer((context) => new Readiness(context))

/** Why the server is not ready; undefined if it is. */
export async function findReadinessProblem({ reads, writeQueue }: ServerContext): Promise<string | undefined> {
  let stopTimer = () => {}
  const timeout = new Promise<string>((resolve) => {
    stopTimer = afterSeconds(readySecondsMax, () => resolve(`no answer within ${readySecondsMax} seconds`))
  })
  const check = reads.first<{ read_only: number }>(isReadOnly).then(
    (row) => (row?.read_only === 1 ? 'it is read-only' : undefined),
    // The route is public: hosts and accounts are written to the log only.
    () => 'no connection can be made',
  )
  const problem = await Promise.race([check, timeout])
  stopTimer()
  return problem ?? writeQueue.stallReason()
}
