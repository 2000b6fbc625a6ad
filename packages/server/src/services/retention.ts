import { retentionTrimmedEvent } from '../domains/admin/events.ts'
import { type RetentionKind, readAdoptedUntil, recordTrim } from '../domains/admin/retention-store.ts'
import { trimFlowRuns } from '../domains/flow-runs/delete-runs.ts'
import { createPartitions, dropOldestPartition, trimLogs } from '../domains/logs/trim-logs.ts'
import { SegmentTrimmer, trimTail } from '../events/trim.ts'
import { addSeconds, afterSeconds, earliestTime, type Micros } from '../lib/time.ts'
import type { Tx } from '../storage/database.ts'
import { vacuumIncrementally } from '../storage/incremental-vacuum.ts'
import type { ActingContext } from '../storage/server-context.ts'
import type { Service } from './service.ts'

/** Pause between two steps, which leaves the database to others. A step takes about a quarter of this. */
const delaySeconds = 0.02

const secondsPerDay = 86_400

/**
 * Removes events, logs and finished runs (with everything that belongs to them) that are older than the settings allow. Events are removed with their
 * segments. On PostgreSQL logs are removed by dropping whole weeks, and the partitions of the coming weeks are created. All other rows are deleted in small
 * steps. Data may be kept somewhat longer than configured, never shorter. Adopted data is kept until a user releases it.
 * Settings: events.retention_days (7), logs.retention_days (90), flow_runs.retention_days (none), services.retention.batch_size (200).
 * Reports: events, logs, flow_runs, freed_bytes (of the database file), and postponed (steps that met a lock and are left to the next pass).
 */
export const retention: Service = {
  name: 'retention',
  enabled: (config) => config.services.retention.enabled,
  everySeconds: (config) => config.services.retention.every_seconds,
  async runOnce(context, signal) {
    const { config } = context
    const { batch_size } = config.services.retention
    const pass = new RetentionPass(context, signal)
    await pass.step((tx) => createPartitions(tx, context.clock.now()))
    return {
      events: await pass.trim('events', config.events.retention_days, (before, after) => {
        const segments = new SegmentTrimmer(context, before, after)
        return [
          async () => toDropStep(await pass.attempt(() => segments.trimNext())),
          () => pass.step((tx) => toTrimStep(trimTail(tx, before, batch_size, after))),
        ]
      }),
      logs: await pass.trim('logs', config.logs.retention_days, (before, after) => [
        () => pass.step(async (tx) => toDropStep(await dropOldestPartition(tx, before, after))),
        () => pass.step((tx) => toTrimStep(trimLogs(tx, before, batch_size, after))),
      ]),
      flow_runs: await pass.trim('flow_runs', config.flow_runs.retention_days, (before, after) => [
        () =>
          pass.step(async (tx) => {
            const { rows, runs } = await trimFlowRuns(context, before, batch_size, after)(tx)
            return { more: rows > 0, count: runs }
          }),
      ]),
      freed_bytes: await pass.freeDisk(),
      postponed: pass.postponed,
    }
  },
}

interface Step {
  readonly more: boolean
  readonly count: number
}

const toDropStep = (rows: number | undefined): Step => ({ more: rows !== undefined, count: rows ?? 0 })

const toTrimStep = async (rows: Promise<number>): Promise<Step> => ({ more: (await rows) > 0, count: await rows })

type Steps = (before: Micros, after: Micros) => readonly (() => Promise<Step | undefined>)[]

class RetentionPass {
  postponed = 0
  readonly #context: ActingContext
  readonly #signal: AbortSignal

  constructor(context: ActingContext, signal: AbortSignal) {
    this.#context = context
    this.#signal = signal
  }

  /** Undefined when the step met a lock. Dropping a partition needs an exclusive lock and does not wait for it. */
  step<R>(command: (tx: Tx) => Promise<R>): Promise<R | undefined> {
    return this.attempt(() => this.#context.commands.submit(command))
  }

  async attempt<R>(work: () => Promise<R>): Promise<R | undefined> {
    try {
      return await work()
    } catch (error) {
      if (!this.#context.reads.dialect.isTransient(error)) throw error
      this.postponed += 1
      return undefined
    }
  }

  /** Shrinks the database file by its free pages, except those that the next hours will need. Returns the bytes. */
  async freeDisk(): Promise<number> {
    let freed = 0
    for (let more = true; more && !this.#signal.aborted; ) {
      const bytes = (await this.step(vacuumIncrementally)) ?? 0
      freed += bytes
      more = bytes > 0
      if (more) await delay()
    }
    return freed
  }

  /** Repeats each step until nothing is left to remove, and records the result. */
  async trim(kind: RetentionKind, days: number | null, stepsOf: Steps): Promise<number> {
    if (days === null) return 0
    const { clock, commands, newId, reads } = this.#context
    const after = (await readAdoptedUntil(reads)) ?? earliestTime
    const before = addSeconds(clock.now(), -days * secondsPerDay)
    let trimmed = 0
    for (const step of stepsOf(before, after)) {
      for (let more = true; more && !this.#signal.aborted; ) {
        const result = await step()
        trimmed += result?.count ?? 0
        more = result?.more ?? false
        if (more) await delay()
      }
    }
    await commands.submit(async (tx) => {
      if (trimmed > 0) tx.emit(retentionTrimmedEvent({ kind, trimmed, days, before }, newId(), clock.now()))
      await recordTrim(tx, kind, trimmed, clock.now())
    })
    return trimmed
  }
}

const delay = (): Promise<void> => new Promise((resolve) => afterSeconds(delaySeconds, resolve))
