import type { ServerContext } from '../storage/server-context.ts'
import type { Service } from './service.ts'

export interface ServiceLog {
  info(facts: object, message: string): void
  error(facts: object, message: string): void
}

export interface RunningServices {
  /** Lets the passes under way come to their end, and starts no more. */
  stop(): Promise<void>
}

/** A pass that is called for begins at once, unless one has just ended: wake-ups that come closer together than this share it. */
const minPassIntervalMs = 50

/** Replicas that were started together would otherwise do everything at the same time. */
const jitterShare = 0.1

/**
 * Runs each service over and over: at its interval, and at once when one of its topics is woken. A service never overlaps itself, and a
 * pass that fails is tried again at the next interval.
 */
export function startServices(services: readonly Service[], context: ServerContext, log: ServiceLog): RunningServices {
  const report = createReporter(context, log)
  const loops = services.filter((service) => service.enabled(context.config)).map((service) => runService(service, context, report))
  return {
    async stop() {
      await Promise.all(loops.map((stop) => stop()))
    },
  }
}

interface Reporter {
  done(service: Service, report: Readonly<Record<string, number>>): void
  failed(service: Service, error: unknown): void
}

/** All services fail while the database is away, every few seconds: that is said once for all of them, and once when it is over. */
function createReporter(context: ServerContext, log: ServiceLog): Reporter {
  let isAway = false
  return {
    done(service, report) {
      if (isAway) log.info({}, 'the database is back: background services go on')
      isAway = false
      if (Object.values(report).some((count) => count !== 0)) log.info({ service: service.name, ...report }, `${service.name} did its work`)
    },
    failed(service, error) {
      if (!context.reads.dialect.isUnavailable(error))
        return log.error({ service: service.name, err: error }, `${service.name} failed and will try again`)
      const reason = error instanceof Error ? error.message : String(error)
      if (!isAway) log.error({ service: service.name }, `the database is away: background services wait until it is back (${reason})`)
      isAway = true
    },
  }
}

function runService(service: Service, context: ServerContext, report: Reporter): () => Promise<void> {
  const ending = new AbortController()
  const { signal } = ending
  let woken = false
  let timer: NodeJS.Timeout | undefined
  let pass = Promise.resolve()
  let running = false
  let resting: NodeJS.Timeout | undefined

  const everyMs = (): number => service.everySeconds(context.config) * 1000 * (1 + jitterShare * (2 * context.random.next() - 1))

  function after(ms: number): void {
    clearTimeout(timer)
    if (!signal.aborted) timer = setTimeout(begin, ms)
  }

  function begin(): void {
    running = true
    woken = false
    pass = once().finally(() => {
      running = false
      resting = setTimeout(() => {
        resting = undefined
      }, minPassIntervalMs)
      after(woken ? minPassIntervalMs : everyMs())
    })
  }

  async function once(): Promise<void> {
    try {
      report.done(service, await service.runOnce(context, signal))
    } catch (error) {
      report.failed(service, error)
    }
  }

  const wake = (): void => {
    if (woken) return
    woken = true
    if (!running) after(resting ? minPassIntervalMs : 0)
  }
  const deaf = (service.wakeOn ?? []).map((topic) => context.bus.on(topic, wake))
  after(minPassIntervalMs + everyMs() * jitterShare)

  return async () => {
    ending.abort()
    clearTimeout(timer)
    for (const stop of deaf) stop()
    await pass
    clearTimeout(resting)
  }
}
