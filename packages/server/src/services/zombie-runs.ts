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
import { type ActingContext, perServer } from '../storage/server-context.ts'
import type { Service } from './service.ts'

/** Runs per transaction. */
const batchSize = 200

/** A longer gap between two passes means an interruption in which heartbeats could not arrive. The gap is 3 intervals and 30 seconds. */
const gapIntervalsMax = 3
const gapSecondsMax = 30

/**
 * Crashes flow runs whose process is gone, or reschedules them when retries are left: running runs without heartbeats, and pending runs whose worker went
 * offline before they started. Releases deployment slots of dead clients. A running run that never sent a heartbeat is left alone. The timeout starts again
 * after a server start, a database outage or a clock step, because heartbeats may have been lost.
 * Settings: services.zombie_detection.every_seconds (10), missed_heartbeats (3), first_heartbeat_seconds (3600), pending_infrastructure_seconds (3600),
 * silent_slot_seconds (a day); services.worker_monitor for the timeout of workers.
 * Reports: crashed, rescheduled, freed_slots.
 */
export const zombieRuns: Service = {
  name: 'zombie-runs',
  enabled: (config) => config.services.zombie_detection.enabled,
  everySeconds: (config) => config.services.zombie_detection.every_seconds,
  async runOnce(context, signal) {
    const watch = heartbeatWatchOf(context)
    const now = context.clock.now()
    const gapMax = addSeconds(0, gapIntervalsMax * context.config.services.zombie_detection.every_seconds + gapSecondsMax)
    watch.beginPass(now, gapMax)
    const overdue = await readOverdueHeartbeats(context.reads, now)
    const fresh = watch.observe(overdue, now)
    const silent = overdue.filter((run) => watch.isGone(run, now, heartbeatTimeout(context, run)))
    const inactive = await forgetInactiveRuns(context, [...fresh, ...silent], now, signal)
    const report = { crashed: 0, rescheduled: 0, freed_slots: 0 }
    const count = ({ crashed, rescheduled }: CrashCounts): number => {
      report.crashed += crashed
      report.rescheduled += rescheduled
      return crashed + rescheduled
    }
    const gone = silent.filter((run) => !inactive.has(run))
    for (let at = 0; at < gone.length && !signal.aborted; at += batchSize) {
      count(await context.commands.submit(crashSilentRuns(context, gone.slice(at, at + batchSize))))
    }
    while (!signal.aborted && count(await context.commands.submit(crashOrphanedRuns(context, watch.since, batchSize))) === batchSize);
    if (!signal.aborted) report.freed_slots = await releaseSilentLeases(context, batchSize)
    return report
  },
}

/** Deletes the heartbeats of runs that are overdue because they ended or are paused. These are most of the overdue runs. */
async function forgetInactiveRuns(
  context: ActingContext,
  runs: readonly SilentRun[],
  now: Micros,
  signal: AbortSignal,
): Promise<ReadonlySet<SilentRun>> {
  const inactive = new Set<SilentRun>()
  for (let at = 0; at < runs.length && !signal.aborted; at += batchSize) {
    const batch = await filterLeftState(context.reads, runs.slice(at, at + batchSize))
    if (batch.length > 0) await context.commands.submit((tx) => deleteHeartbeats(tx, batch, now))
    for (const run of batch) inactive.add(run)
  }
  return inactive
}

/** The overdue runs that this process has observed since its last interruption. */
class HeartbeatWatch {
  since: Micros = 0
  #lastPass: Micros | undefined
  /** By run id: the time of the last heartbeat (client clock), and when this process first found it overdue. */
  #overdue = new Map<string, { readonly occurred: Micros; readonly first: Micros }>()

  beginPass(now: Micros, gapMax: Micros): void {
    const last = this.#lastPass
    if (last === undefined || now < last || now - last > gapMax) {
      this.since = now
      this.#overdue.clear()
    }
    this.#lastPass = now
  }

  /** Replaces the overdue runs. Returns those that were not overdue before. */
  observe(runs: readonly SilentRun[], now: Micros): SilentRun[] {
    const previous = this.#overdue
    this.#overdue = new Map()
    return runs.filter(({ id, occurred }) => {
      const before = previous.get(id)
      const isKnown = before?.occurred === occurred
      this.#overdue.set(id, isKnown ? before : { occurred, first: now })
      return !isKnown
    })
  }

  /**
   * Requires that this process has observed the run as overdue for half of the timeout. The server that stored the heartbeat may have a slow clock, which
   * makes every run look silent; a live run sends another heartbeat meanwhile.
   */
  isGone({ id, received }: SilentRun, now: Micros, timeout: Micros): boolean {
    const first = this.#overdue.get(id)?.first ?? now
    return now - Math.max(received, this.since) >= timeout && now - first >= timeout / 2
  }
}

const heartbeatWatchOf = perServer(() => new HeartbeatWatch())
