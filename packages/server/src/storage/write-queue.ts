import { overloaded, rowsHeld } from '../errors.ts'
import type { Actor } from '../lib/actor.ts'
import type { EventRecord } from '../lib/event-record.ts'
import { afterSeconds, monotonicSeconds } from '../lib/time.ts'
import type { WriteConnection } from './connection.ts'
import type { Batch, Tx } from './database.ts'
import { HeldRows } from './held-rows.ts'
import type { Pool } from './pool.ts'
import { CommandRunner, type PendingCommand, single, type TracedCommand } from './run-commands.ts'

export type { TracedCommand } from './run-commands.ts'

/** Submits the commands of one actor. */
export interface Commands {
  /** Executes one command. Resolves after the commit. */
  submit<R>(command: (tx: Tx) => Promise<R>): Promise<R>
  /** The same for commands that are executed in batches. */
  submitTo<I, R>(batch: Batch<I, R>, input: I): Promise<R>
  submitAll<I, R>(batch: Batch<I, R>, inputs: readonly I[]): Promise<R[]>
}

export interface WriteQueue {
  as(actor: Actor): Commands
  /** Resolves when all submitted commands are settled. */
  drain(): Promise<void>
  /** Commands that wait for a transaction. */
  pendingCount(): number
  /** Why writes are stalled; undefined while they complete. */
  stallReason(): string | undefined
}

export interface WriteQueueOptions {
  /** Writes the events of a transaction, as the last step before its commit. */
  readonly writeEvents: (tx: Tx, events: readonly EventRecord[]) => Promise<void>
  /** Called after a commit with its topics and events. */
  readonly onCommit: (topics: ReadonlySet<string>, events: readonly EventRecord[]) => void
  /** Called after a commit with the number of its commands and the time of its transaction. */
  readonly onBatch?: (batch: { readonly commands: number; readonly seconds: number }) => void
  readonly trace?: WriteTrace | undefined
}

/** Observes commands from their submission to their commit. */
export interface WriteTrace {
  /** Undefined for a command that is not traced. */
  submitted(actor: Actor): TracedCommand | undefined
  /** `total` counts all commands of the transaction, also those that are not traced. */
  committed(commands: readonly TracedCommand[], total: number, seconds: number): void
}

/** Maximum number of pending commands. More are rejected, so that memory stays bounded under any load. */
const pendingMax = 20_000

/**
 * One large batch costs less than two small ones, so another batch starts while one executes only if that one takes this long. While one commits, another starts
 * if at least as many commands wait, so that batches never become smaller, or many, or if the commit takes this long.
 */
const slowBatchSeconds = 0.02
const slowCommitSeconds = 0.005
const largeBatch = 32

/** Attempts on new connections when one breaks before the commit. */
const connectionAttemptsMax = 3

/** Attempts when a migration beside this server changes tables one after the other. */
const preparationsMax = 5

/** Writes count as stalled when no command is settled for this long. */
const stalledSeconds = 3

/** After this time an unavailable database counts as available again, so that the next write tries it. */
const unavailableSeconds = 5

/**
 * The only way to write, and who runs when: commands that arrive in one turn of the event loop share a transaction (`setImmediate`, no timer) and its fsync.
 * run-commands.ts says what happens in it, and when it fails; held-rows.ts who waits for a row.
 */
export function createWriteQueue(pool: Pool, options: WriteQueueOptions): WriteQueue {
  let pending: PendingCommand[] = []
  /** How many of them, at the beginning, are tried again because a row was held. */
  let triedAgain = 0
  let scheduled = false
  let running = 0
  /** Batches that have not sent their commit. */
  let executing = 0
  /** When the last batch started, and when one last sent its commit. */
  let flushedAt = 0
  let commitSentAt = 0
  /** Commands of the batch that last sent its commit. */
  let committingCount = 0
  let stopWaiting: (() => void) | undefined
  const drainListeners = new Set<() => void>()
  /** When the queue became non-empty, or a command was last settled. */
  let lastProgressAt = monotonicSeconds()
  /** When the database was last unavailable; undefined after a successful write. */
  let unavailableSince: number | undefined

  const held = new HeldRows({
    async run(commands) {
      let stillHeld: readonly PendingCommand[] = []
      for (const command of commands) command.isHeld = false
      await runOnConnection(
        commands,
        async (connection, unsettled) => {
          stillHeld = await runner.runHeld(connection, unsettled)
        },
        pool.withWaitingWriter,
      )
      for (const command of stillHeld) command.isHeld = true
      return stillHeld
    },
    giveUp(command) {
      // One row says nothing about the database, unless nothing else was written meanwhile.
      if (monotonicSeconds() - lastProgressAt > 0.9 * stalledSeconds) unavailableSince = monotonicSeconds()
      runner.fail(command, rowsHeld())
    },
    tryAgain(command) {
      pending.splice(triedAgain, 0, command)
      triedAgain += 1
      schedule()
    },
    onIdle: () => endDrain(),
  })

  const runner = new CommandRunner({
    dialect: pool.dialect,
    writeEvents: options.writeEvents,
    onCommit: options.onCommit,
    onBatch(commands, seconds) {
      lastProgressAt = monotonicSeconds()
      options.onBatch?.({ commands: commands.length, seconds })
      const traced = options.trace ? commands.flatMap((command) => command.traced ?? []) : []
      if (traced.length > 0) options.trace?.committed(traced, commands.length, seconds)
    },
    onHeld: (command, row) => held.add(command, row),
  })

  function enqueue(actor: Actor, batch: Batch<never, unknown>, input: unknown): Promise<unknown> {
    if (pending.length + held.count >= pendingMax) return Promise.reject(overloaded())
    if (running === 0 && pending.length === 0) lastProgressAt = monotonicSeconds()
    return new Promise((resolve, reject) => {
      const traced = options.trace?.submitted(actor)
      const command = {
        actor,
        batch: batch as Batch<unknown, unknown>,
        input,
        resolve,
        reject,
        traced,
        submittedAt: monotonicSeconds(),
        isSettled: false,
        isHeld: false,
      }
      if (held.take(command)) return
      pending.push(command)
      schedule()
    })
  }

  function schedule(): void {
    if (scheduled || running >= pool.writersMax || pending.length === 0) return
    const waitSeconds = secondsToWait()
    if (waitSeconds > 0) {
      stopWaiting ??= afterSeconds(waitSeconds, () => {
        stopWaiting = undefined
        schedule()
      })
      return
    }
    stopWaiting?.()
    stopWaiting = undefined
    scheduled = true
    setImmediate(flush)
  }

  /** How long the next batch waits for the one before it. */
  function secondsToWait(): number {
    if (running === 0) return 0
    if (executing > 0) return flushedAt + slowBatchSeconds - monotonicSeconds()
    return pending.length >= Math.min(committingCount, largeBatch) ? 0 : commitSentAt + slowCommitSeconds - monotonicSeconds()
  }

  async function flush(): Promise<void> {
    scheduled = false
    const commands = pending
    pending = []
    triedAgain = 0
    running += 1
    executing += 1
    flushedAt = monotonicSeconds()
    for (const command of commands) command.isHeld = false
    let isExecuting = true
    const endExecution = () => {
      if (!isExecuting) return
      isExecuting = false
      executing -= 1
      commitSentAt = monotonicSeconds()
      committingCount = commands.length
      stopWaiting?.()
      stopWaiting = undefined
      schedule()
    }
    try {
      await runOnConnection(commands, (connection, unsettled) => runner.runShared(connection, unsettled, endExecution))
    } finally {
      running -= 1
      endExecution()
      schedule()
      endDrain()
    }
  }

  /** When a connection breaks before the commit, nothing is committed, and the commands that are not settled run on another one. */
  async function runOnConnection(
    commands: readonly PendingCommand[],
    run: (connection: WriteConnection, unsettled: readonly PendingCommand[]) => Promise<void>,
    withConnection: Pool['withWriter'] = pool.withWriter,
  ): Promise<void> {
    for (let connections = 1; ; connections += 1) {
      const unsettled = commands.filter((command) => !command.isSettled && !command.isHeld)
      if (unsettled.length === 0) return
      try {
        await withConnection((connection) => run(connection, unsettled))
        if (unsettled.some(({ isSettled }) => isSettled)) unavailableSince = undefined
      } catch (error) {
        const kind = pool.dialect.unavailability(error)
        if (kind === 'lost' && connections < connectionAttemptsMax) continue
        if (pool.dialect.isOutdatedStatement(error) && connections < preparationsMax) continue
        if (kind) unavailableSince = monotonicSeconds()
        for (const command of unsettled) if (!command.isSettled && !command.isHeld) runner.fail(command, error)
        // Commands that arrived meanwhile would wait as long again.
        if (kind === 'unreachable') for (const command of pending.splice(0)) runner.fail(command, error)
      }
      if (unsettled.some(({ isSettled }) => isSettled)) lastProgressAt = monotonicSeconds()
      return
    }
  }

  const isIdle = (): boolean => running === 0 && pending.length === 0 && held.count === 0

  function endDrain(): void {
    if (isIdle()) for (const done of drainListeners) done()
  }

  return {
    as: (actor) => ({
      submit: <R>(command: (tx: Tx) => Promise<R>) => enqueue(actor, single as Batch<never, unknown>, command) as Promise<R>,
      submitTo: <I, R>(batch: Batch<I, R>, input: I) => enqueue(actor, batch as Batch<never, unknown>, input) as Promise<R>,
      submitAll: <I, R>(batch: Batch<I, R>, inputs: readonly I[]) =>
        Promise.all(inputs.map((input) => enqueue(actor, batch as Batch<never, unknown>, input))) as Promise<R[]>,
    }),
    pendingCount: () => pending.length + held.count,
    stallReason() {
      const now = monotonicSeconds()
      if (unavailableSince !== undefined && now - unavailableSince < unavailableSeconds) return 'the last write failed'
      const waited = now - lastProgressAt
      return !isIdle() && waited >= stalledSeconds ? `no write has completed for ${Math.floor(waited)} seconds` : undefined
    },
    async drain() {
      if (isIdle()) return
      await new Promise<void>((resolve) => {
        const done = () => {
          drainListeners.delete(done)
          resolve()
        }
        drainListeners.add(done)
      })
    },
  }
}
