import { retentionTrimmedEvent } from '../domains/admin/events.ts'
import { type RetentionKind, readAdoptedUntil, recordTrim } from '../domains/admin/retention-store.ts'
import { trimFlowRuns } from '../domains/flow-runs/delete-runs.ts'
import { createPartitions, dropOldestPartition, trimLogs } from '../domains/logs/trim-logs.ts'
import { createDayPartitions, dropOldestDayPartition, trimEvents } from '../events/trim.ts'
import { addSeconds, afterSeconds, type Micros } from '../lib/time.ts'
import type { Tx } from '../storage/database.ts'
import { vacuumIncrementally } from '../storage/incremental-vacuum.ts'
import type { ServerContext } from '../storage/server-context.ts'
import { earliestTime } from '../storage/trimming.ts'
import type { Service } from './service.ts'

/** Between two steps everybody else has the database to themselves: a step takes about a quarter of this. */
const delaySeconds = 0.02

const secondsPerDay = 86_400

/**
 * Removes what is older than the settings say: events, logs, and finished runs with all that is theirs. Where tables are cut by time, whole
 * days and weeks are dropped and their disk is given back, and the parts of the days to come are made; elsewhere, and for what no part was made for,
 * rows go in small steps. May keep things somewhat longer than asked, never shorter. What was taken over from another installation is spared
 * until a person says otherwise.
 * Settings: events.retention_days (7), logs.retention_days (90), flow_runs.retention_days (none), services.retention.batch_size (200).
 * Reports: events, logs, flow_runs, freed_bytes: what the file of the database has shrunk by, and postponed: steps that somebody was in the way
 * of, left to the next pass.
 */
export const retention: Service = {
  name: 'retention',
  enabled: (config) => config.services.retention.enabled,
  everySeconds: (config) => config.services.retention.every_seconds,
  async runOnce(context, signal) {
    const { config } = context
    const { batch_size } = config.services.retention
    const pass = new RetentionPass(context, signal)
    await pass.step((tx) => createDayPartitions(tx, context.clock.now()))
    await pass.step((tx) => createPartitions(tx, context.clock.now()))
    return {
      events: await pass.trim('events', config.events.retention_days, (before, after) => [
        async (tx) => toDropStep(await dropOldestDayPartition(tx, before, after)),
        (tx) => toTrimStep(trimEvents(tx, before, batch_size, after)),
      ]),
      logs: await pass.trim('logs', config.logs.retention_days, (before, after) => [
        async (tx) => toDropStep(await dropOldestPartition(tx, before, after)),
        (tx) => toTrimStep(trimLogs(tx, before, batch_size, after)),
      ]),
      flow_runs: await pass.trim('flow_runs', config.flow_runs.retention_days, (before, after) => [
        async (tx) => {
          const { rows, runs } = await trimFlowRuns(context, before, batch_size, after)(tx)
          return { more: rows > 0, count: runs }
        },
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

type Steps = (before: Micros, after: Micros) => readonly ((tx: Tx) => Promise<Step>)[]

class RetentionPass {
  postponed = 0
  readonly #context: ServerContext
  readonly #signal: AbortSignal

  constructor(context: ServerContext, signal: AbortSignal) {
    this.#context = context
    this.#signal = signal
  }

  /** Undefined when somebody was in the way: dropping a part needs it for itself, and waits for nobody. */
  async step<R>(command: (tx: Tx) => Promise<R>): Promise<R | undefined> {
    try {
      return await this.#context.writeQueue.submit(command)
    } catch (error) {
      if (!this.#context.reads.dialect.isTransient(error)) throw error
      this.postponed += 1
      return undefined
    }
  }

  /** Shrinks the file of the database by what is free in it, but for what the next hours will need again; so many bytes. */
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

  /** Does each kind of step until there is nothing left for it, and notes what came of it. */
  async trim(kind: RetentionKind, days: number | null, stepsOf: Steps): Promise<number> {
    if (days === null) return 0
    const { clock, writeQueue, newId, reads } = this.#context
    const after = (await readAdoptedUntil(reads)) ?? earliestTime
    const before = addSeconds(clock.now(), -days * secondsPerDay)
    let trimmed = 0
    for (const step of stepsOf(before, after)) {
      for (let more = true; more && !this.#signal.aborted; ) {
        const done = await this.step(step)
        trimmed += done?.count ?? 0
        more = done?.more ?? false
        if (more) await delay()
      }
    }
    await writeQueue.submit(async (tx) => {
      if (trimmed > 0) tx.emit(retentionTrimmedEvent({ kind, trimmed, days, before }, newId(), clock.now()))
      await recordTrim(tx, kind, trimmed, clock.now())
    })
    return trimmed
  }
}

const delay = (): Promise<void> => new Promise((resolve) => afterSeconds(delaySeconds, resolve))
