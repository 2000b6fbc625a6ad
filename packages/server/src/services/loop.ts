import { serviceActor } from '../lib/actor.ts'
import { monotonicSeconds } from '../lib/time.ts'
import { actAs, type ServerContext } from '../storage/server-context.ts'
import type { Service } from './service.ts'

export interface ServiceLog {
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Gets the name of a service, the time of a pass and its counts, which are undefined if it failed. */
export type PassObserver = (service: string, seconds: number, report: Readonly<Record<string, number>> | undefined) => void

export interface RunningServices {
  /** Waits for running passes and starts no more. */
  stop(): Promise<void>
}

/** The shortest time between the end of a pass and the next. Wake-ups within it share one pass. */
const minPassIntervalMs = 50

/** Spreads the passes of replicas that were started together. */
const jitterShare = 0.1

/**
 * Runs each service at its interval, and at once when one of its topics is notified. Passes of one service never overlap. A failed pass is retried at the
 * next interval.
 */
export function startServices(
  services: readonly Service[],
  context: ServerContext,
  log: ServiceLog,
  onPass: PassObserver = () => {},
): RunningServices {
  const report = createReporter(context, log)
  const loops = services.filter((service) => service.enabled(context.config)).map((service) => runService(service, context, report, onPass))
  return {
    async stop() {
      await Promise.all(loops.map((stop) => stop()))
    },
  }
}

interface Reporter {
  finished(service: Service, report: Readonly<Record<string, number>>): void
  failed(service: Service, error: unknown): void
}

/** During a database outage every service fails every few seconds. The outage and its end are logged once for all of them. */
function createReporter(context: ServerContext, log: ServiceLog): Reporter {
  let isUnavailable = false
  return {
    finished(service, report) {
      if (isUnavailable) log.info({}, 'database available again; background services resumed')
      isUnavailable = false
      if (Object.values(report).some((count) => count !== 0)) log.info({ service: service.name, ...report }, `${service.name} finished a pass`)
    },
    failed(service, error) {
      if (!context.reads.dialect.isUnavailable(error))
        return log.error({ service: service.name, err: error }, `${service.name} failed; it will be retried`)
      const reason = error instanceof Error ? error.message : String(error)
      if (!isUnavailable) log.error({ service: service.name }, `database unavailable; background services paused: ${reason}`)
      isUnavailable = true
    },
  }
}

function runService(service: Service, context: ServerContext, report: Reporter, onPass: PassObserver): () => Promise<void> {
  const acting = actAs(context, serviceActor(service.name))
  const controller = new AbortController()
  const { signal } = controller
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
    const began = monotonicSeconds()
    const passed = () => monotonicSeconds() - began
    try {
      const counts = await service.runOnce(acting, signal)
      onPass(service.name, passed(), counts)
      report.finished(service, counts)
    } catch (error) {
      onPass(service.name, passed(), undefined)
      report.failed(service, error)
    }
  }

  const wake = (): void => {
    if (woken) return
    woken = true
    if (!running) after(resting ? minPassIntervalMs : 0)
  }
  const unsubscribe = (service.wakeOn ?? []).map((topic) => context.bus.on(topic, wake))
  after(minPassIntervalMs + everyMs() * jitterShare)

  return async () => {
    controller.abort()
    clearTimeout(timer)
    for (const stop of unsubscribe) stop()
    await pass
    clearTimeout(resting)
  }
}
