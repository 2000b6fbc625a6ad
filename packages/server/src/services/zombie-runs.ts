import { releaseSilentLeases } from '../domains/concurrency-limits/expire-leases.ts'
import { crashOrphanedRuns } from '../domains/flow-runs/crash-orphaned-runs.ts'
import { type CrashCounts, crashSilentRuns } from '../domains/flow-runs/crash-silent-runs.ts'
import {
  deleteHeartbeats,
  filterLeftState,
  heartbeatTimeout,
  readOverdueHeartbeats,
  type SilentRun,
} from '../domains/flow-runs/heartbeat-timeouts.ts'
import { addSeconds, type Micros } from '../lib/time.ts'
import { perServer } from '../storage/per-server.ts'
import type { ServerContext } from '../storage/server-context.ts'
import type { Service } from './service.ts'

/** Crashed in one transaction at most, so that nobody waits long behind it. */
const batchSize = 200

/** Passes that are further apart than so many intervals, and this, were interrupted: nobody knows which heartbeats failed to arrive meanwhile. */
const intervalsApartMax = 3
const secondsApartMax = 30

/**
 * Crashes flow runs whose process is gone, or reschedules them where their flow has retries left: running ones that miss their heartbeats, and pending
 * ones whose worker went away before they started. Frees slots of deployments that a dead client would hold for ever. Runs that never sent a
 * heartbeat are left alone while they run. Judges by what this process has watched itself: after a start, an outage of the database or a jump of
 * the clock, every run has its whole time again.
 * Settings: services.zombie_detection.every_seconds (10), missed_heartbeats (3), first_heartbeat_seconds (3600), pending_infrastructure_seconds (3600),
 * silent_slot_seconds (a day); of services.worker_monitor, how long workers may be silent.
 * Reports: crashed, rescheduled, freed_slots.
 */
export const zombieRuns: Service = {
  name: 'zombie-runs',
  enabled: (config) => config.services.zombie_detection.enabled,
  everySeconds: (config) => config.services.zombie_detection.every_seconds,
  async runOnce(context, signal) {
    const watch = heartbeatWatchOf(context)
    const now = context.clock.now()
    const apartMax = addSeconds(0, intervalsApartMax * context.config.services.zombie_detection.every_seconds + secondsApartMax)
    watch.beginPass(now, apartMax)
    const overdue = await readOverdueHeartbeats(context.reads, now)
    const fresh = watch.observe(overdue, now)
    const silent = overdue.filter((run) => watch.isGone(run, now, heartbeatTimeout(context, run)))
    const left = await forgetInactiveRuns(context, [...fresh, ...silent], now, signal)
    const report = { crashed: 0, rescheduled: 0, freed_slots: 0 }
    const count = ({ crashed, rescheduled }: CrashCounts): number => {
      report.crashed += crashed
      report.rescheduled += rescheduled
      return crashed + rescheduled
    }
    const gone = silent.filter((run) => !left.has(run))
    for (let at = 0; at < gone.length && !signal.aborted; at += batchSize) {
      count(await context.writeQueue.submit(crashSilentRuns(context, gone.slice(at, at + batchSize))))
    }
    while (!signal.aborted && count(await context.writeQueue.submit(crashOrphanedRuns(context, watch.since, batchSize))) === batchSize);
    if (!signal.aborted) report.freed_slots = await releaseSilentLeases(context, batchSize)
    return report
  },
}

/** Most runs are overdue because they have ended or are paused: what was known of their heartbeats goes. */
async function forgetInactiveRuns(
  context: ServerContext,
  runs: readonly SilentRun[],
  now: Micros,
  signal: AbortSignal,
): Promise<ReadonlySet<SilentRun>> {
  const left = new Set<SilentRun>()
  for (let at = 0; at < runs.length && !signal.aborted; at += batchSize) {
    const some = await filterLeftState(context.reads, runs.slice(at, at + batchSize))
    if (some.length > 0) await context.writeQueue.submit((tx) => deleteHeartbeats(tx, some, now))
    for (const run of some) left.add(run)
  }
  return left
}

/** What this process has seen since its passes have been coming in their time. */
class HeartbeatWatch {
  since: Micros = 0
  #lastPass: Micros | undefined
  /** Overdue runs: their last heartbeat, by the clock of their client, and when this process first saw that it is overdue. */
  #overdue = new Map<string, { readonly occurred: Micros; readonly first: Micros }>()

  beginPass(now: Micros, apartMax: Micros): void {
    const last = this.#lastPass
    if (last === undefined || now < last || now - last > apartMax) {
      this.since = now
      this.#overdue.clear()
    }
    this.#lastPass = now
  }

  /** The runs that are overdue by now; those of them that were not before. */
  observe(runs: readonly SilentRun[], now: Micros): SilentRun[] {
    const known = this.#overdue
    this.#overdue = new Map()
    return runs.filter(({ id, occurred }) => {
      const before = known.get(id)
      const isKnown = before?.occurred === occurred
      this.#overdue.set(id, isKnown ? before : { occurred, first: now })
      return !isKnown
    })
  }

  /**
   * Half of the time has to be watched here as well: the server that wrote the heartbeat down may have a clock that is behind, and then every run
   * looks silent; but the heartbeats of one that lives go on.
   */
  isGone({ id, received }: SilentRun, now: Micros, patience: Micros): boolean {
    const first = this.#overdue.get(id)?.first ?? now
    return now - Math.max(received, this.since) >= patience && now - first >= patience / 2
  }
}

const heartbeatWatchOf = perServer(() => new HeartbeatWatch())
