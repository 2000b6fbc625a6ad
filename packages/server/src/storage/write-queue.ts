import { conflict, overloaded, tooLarge, unavailable, unknownReference } from '../errors.ts'
import type { EventRecord } from '../lib/event-record.ts'
import { afterSeconds, type Micros, monotonicSeconds } from '../lib/time.ts'
import type { Batch, BatchResults } from './batch.ts'
import type { WriteConnection } from './connection.ts'
import type { Tx } from './database.ts'
import type { Pool } from './pool.ts'
import { RememberedRows } from './remembered-rows.ts'
import { Transaction } from './transaction.ts'

export interface WriteQueue {
  /** Executes one command. Resolves after the commit. */
  submit<R>(command: (tx: Tx) => Promise<R>): Promise<R>
  /** The same for commands that are executed in batches. */
  submitTo<I, R>(batch: Batch<I, R>, input: I): Promise<R>
  submitAll<I, R>(batch: Batch<I, R>, inputs: readonly I[]): Promise<R[]>
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

/** What a tracer remembers of a command. */
export interface TracedCommand {
  readonly submitted: Micros
}

/** Observes commands from their submission to their commit. */
export interface WriteTrace {
  /** Undefined for a command that is not traced. */
  submitted(): TracedCommand | undefined
  /** `total` counts all commands of the transaction, also those that are not traced. */
  committed(commands: readonly TracedCommand[], total: number, seconds: number): void
}

interface PendingCommand {
  readonly batch: Batch<unknown, unknown>
  readonly input: unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  isSettled: boolean
  readonly traced: TracedCommand | undefined
}

interface TransactionOptions {
  readonly attempt?: number
  /** The first attempt may use remembered rows. */
  readonly isFirst?: boolean
  /** Isolates the groups, so that a failed one does not undo the others. */
  readonly usesSavepoints?: boolean
  /** Called when the commit is sent. */
  readonly onCommit?: () => void
}

type Outcome = { readonly value: unknown } | { readonly error: unknown }

/** Maximum number of pending commands. More are rejected, so that memory stays bounded under any load. */
const pendingMax = 20_000
const attemptsMax = 5

/**
 * One large batch costs less than two small ones, so another batch starts while one executes only if that one takes this long. While one commits, another starts
 * if at least as many commands wait, so that batches never become smaller, or many, or if the commit takes this long.
 */
const slowBatchSeconds = 0.02
const slowCommitSeconds = 0.005
const largeBatch = 32

/** Attempts on new connections when one breaks before the commit. */
const connectionAttemptsMax = 3

/** A command that waited longer than this for a lock is not retried. */
const retryableWaitSeconds = 1

/** Writes count as stalled when no command is settled for this long. */
const stalledSeconds = 3

/** After this time an unavailable database counts as available again, so that the next write tries it. */
const unavailableSeconds = 5

/**
 * The only way to write. Commands that arrive in one turn of the event loop share a transaction (`setImmediate`, no timer) and its fsync. Each command
 * is isolated: a failed one is rolled back without the others.
 */
export function createWriteQueue(pool: Pool, options: WriteQueueOptions): WriteQueue {
  let pending: PendingCommand[] = []
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
  /** What the next transactions need not read. */
  const remembered = pool.isAlone ? new RememberedRows() : undefined
  const drainListeners = new Set<() => void>()
  /** When the queue became non-empty, or a command was last settled. */
  let lastProgressAt = monotonicSeconds()
  /** When the database was last unavailable; undefined after a successful write. */
  let unavailableSince: number | undefined

  const single: Batch<(tx: Tx) => Promise<unknown>, unknown> = async (tx, [command]) => [await (command as (tx: Tx) => Promise<unknown>)(tx)]

  function enqueue(batch: Batch<never, unknown>, input: unknown): Promise<unknown> {
    if (pending.length >= pendingMax) return Promise.reject(overloaded())
    if (running === 0 && pending.length === 0) lastProgressAt = monotonicSeconds()
    return new Promise((resolve, reject) => {
      pending.push({ batch: batch as Batch<unknown, unknown>, input, resolve, reject, isSettled: false, traced: options.trace?.submitted() })
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
    running += 1
    executing += 1
    flushedAt = monotonicSeconds()
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
      await executeCommands(commands, endExecution)
    } finally {
      running -= 1
      endExecution()
      schedule()
      if (running === 0 && pending.length === 0) for (const done of drainListeners) done()
    }
  }

  function fail(command: PendingCommand, error: unknown): void {
    command.isSettled = true
    command.reject(toApiError(error))
  }

  /** Settles all commands. When a connection breaks before the commit, nothing is committed, and the unsettled commands run on another one. */
  async function executeCommands(commands: readonly PendingCommand[], onCommit: () => void): Promise<void> {
    for (let connections = 1; ; connections += 1) {
      const unsettled = commands.filter(({ isSettled }) => !isSettled)
      if (unsettled.length === 0) return
      try {
        await pool.withWriter((connection) => executeBatch(connection, unsettled, onCommit))
        unavailableSince = undefined
      } catch (error) {
        const kind = pool.dialect.unavailability(error)
        if (kind === 'lost' && connections < connectionAttemptsMax) continue
        if (kind) unavailableSince = monotonicSeconds()
        for (const command of unsettled) if (!command.isSettled) fail(command, error)
        // Commands that arrived meanwhile would wait as long again.
        if (kind === 'unreachable') for (const command of pending.splice(0)) fail(command, error)
      }
      lastProgressAt = monotonicSeconds()
      return
    }
  }

  async function executeBatch(connection: WriteConnection, commands: readonly PendingCommand[], onCommit: () => void): Promise<void> {
    const groups = groupByBatch(commands, single as Batch<never, unknown>)
    if (await runTransaction(connection, groups, { onCommit, isFirst: true })) return
    // Savepoints copy every changed page, and commands seldom fail after a write, so only a second attempt uses them.
    if (pool.dialect.usesSavepoints && commands.length > 1 && (await runTransaction(connection, groups, { onCommit, usesSavepoints: true }))) return
    // One command broke the transaction: run each in its own transaction, so that only that one fails.
    for (const command of commands) {
      try {
        for (let attempt = 1; !(await runTransaction(connection, [[command]], { attempt })); attempt += 1);
      } catch (error) {
        if (isConnectionLost(error)) throw error
        fail(command, error)
      }
    }
  }

  /** Runs the groups in one transaction. Returns false after a rollback that settled no command and may be retried. */
  async function runTransaction(
    connection: WriteConnection,
    groups: readonly (readonly PendingCommand[])[],
    { attempt = 1, isFirst = false, usesSavepoints = false, onCommit }: TransactionOptions,
  ): Promise<boolean> {
    if (!pool.isAlone?.()) remembered?.forgetAll()
    const tx = new Transaction(connection, pool.dialect, { remembered, usesMemory: isFirst && pool.isAlone?.() === true })
    const outcomes = new Map<PendingCommand, Outcome>()
    const began = monotonicSeconds()
    let committing = false
    try {
      await connection.begin()
      for (const { group, execute } of planGroups(tx, groups)) await runIsolated(connection, tx, group, outcomes, usesSavepoints, execute)
      await tx.awaitDeferred()
      if (tx.events.length > 0) await options.writeEvents(tx, tx.events)
      if (connection.lost) throw connection.lost
      committing = true
      const committed = connection.commit(tx.notifications)
      onCommit?.()
      await committed
    } catch (error) {
      if (committing && isConnectionLost(error) && !pool.dialect.provesRollback(error)) {
        // The transaction may be committed. A retry could apply it twice, so the clients get an error.
        for (const group of groups) for (const command of group) fail(command, error)
        remembered?.forgetAll()
        options.onCommit(tx.topics, tx.events)
        throw error
      }
      await connection.rollback().catch(() => undefined)
      if (isConnectionLost(error) || isRefusing(error)) throw error
      const alone = groups.length === 1 && groups[0]?.length === 1
      if (!alone || shouldRetry(error, attempt, monotonicSeconds() - began)) return false
      throw error
    }
    tx.updateMemory()
    if (tx.topics.size > 0 || tx.events.length > 0) options.onCommit(tx.topics, tx.events)
    lastProgressAt = monotonicSeconds()
    options.onBatch?.({ commands: outcomes.size, seconds: lastProgressAt - began })
    if (options.trace) {
      const traced = [...outcomes.keys()].flatMap((command) => command.traced ?? [])
      if (traced.length > 0) options.trace.committed(traced, outcomes.size, lastProgressAt - began)
    }
    for (const [command, outcome] of outcomes) {
      if ('error' in outcome) fail(command, outcome.error)
      else {
        command.isSettled = true
        command.resolve(outcome.value)
      }
    }
    return true
  }

  const isConnectionLost = (error: unknown): boolean => ['lost', 'unreachable'].includes(pool.dialect.unavailability(error) ?? '')

  /** The database rejects all writes for now. A lock or a slow statement may concern a single command, so these do not count. */
  const isRefusing = (error: unknown): boolean =>
    pool.dialect.unavailability(error) === 'refusing' && !pool.dialect.isTransient(error) && !pool.dialect.isTimeout(error)

  function shouldRetry(error: unknown, attempt: number, tookSeconds: number): boolean {
    // Another replica may have inserted the key meanwhile. The retry reads that row.
    if (pool.dialect.isUniqueViolation(error)) return attempt === 1
    if (!pool.dialect.isTransient(error) || attempt >= attemptsMax) return false
    return !pool.dialect.isTimeout(error) || tookSeconds < retryableWaitSeconds
  }

  /** Translates a database error for the client. */
  function toApiError(error: unknown): unknown {
    if (pool.dialect.isUnavailable(error)) return unavailable(error)
    if (pool.dialect.isUniqueViolation(error)) return conflict('An object with this name or key already exists')
    if (pool.dialect.isForeignKeyViolation(error)) return unknownReference('A referenced object')
    if (pool.dialect.isKeyTooLong(error)) return tooLarge('A name or key in this request is longer than about 2,000 characters. Shorten it.')
    return error
  }

  /** Runs a group in isolation: a failure leaves no writes behind. Throws when the whole transaction has to be rolled back. */
  async function runIsolated(
    connection: WriteConnection,
    tx: Transaction,
    group: readonly PendingCommand[],
    outcomes: Map<PendingCommand, Outcome>,
    savepoints: boolean,
    execute = () => executeGroup(tx, group),
  ): Promise<void> {
    const mark = tx.mark()
    if (savepoints) await connection.run('savepoint command', [])
    try {
      const results = await execute()
      // Reports a failed write to its own group.
      if (pool.dialect.usesSavepoints) await tx.awaitDeferred()
      group.forEach((command, index) => {
        const result = results[index]
        outcomes.set(command, result instanceof Error ? { error: result } : { value: result })
      })
      if (savepoints) await connection.run('release command', [])
    } catch (error) {
      if (pool.dialect.isUnavailable(error)) throw error
      // Without savepoints, only a command that was rejected before its first write leaves the transaction usable.
      if (!savepoints && (group.length > 1 || tx.hasWrittenSince(mark) || !isRefusal(error))) throw error
      if (savepoints) {
        await connection.run('rollback to command', [])
        await connection.run('release command', [])
        tx.discardSince(mark)
      }
      if (group.length === 1) outcomes.set(group[0] as PendingCommand, { error })
      else for (const command of group) await runIsolated(connection, tx, [command], outcomes, savepoints)
    }
  }

  return {
    submit: <R>(command: (tx: Tx) => Promise<R>) => enqueue(single as Batch<never, unknown>, command) as Promise<R>,
    submitTo: <I, R>(batch: Batch<I, R>, input: I) => enqueue(batch as Batch<never, unknown>, input) as Promise<R>,
    submitAll: <I, R>(batch: Batch<I, R>, inputs: readonly I[]) =>
      Promise.all(inputs.map((input) => enqueue(batch as Batch<never, unknown>, input))) as Promise<R[]>,
    pendingCount: () => pending.length,
    stallReason() {
      const now = monotonicSeconds()
      if (unavailableSince !== undefined && now - unavailableSince < unavailableSeconds) return 'the last write failed'
      const waited = now - lastProgressAt
      return (running > 0 || pending.length > 0) && waited >= stalledSeconds ? `no write has completed for ${Math.floor(waited)} seconds` : undefined
    },
    async drain() {
      if (running === 0 && pending.length === 0) return
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

/** Groups commands by batch in the order of arrival. All commands are concurrent, so no order between groups is required. */
function groupByBatch(commands: readonly PendingCommand[], single: Batch<never, unknown>): PendingCommand[][] {
  const groups: PendingCommand[][] = []
  const groupOf = new Map<unknown, PendingCommand[]>()
  for (const command of commands) {
    const existing = command.batch === (single as unknown) ? undefined : groupOf.get(command.batch)
    if (existing) existing.push(command)
    else {
      const group = [command]
      groups.push(group)
      groupOf.set(command.batch, group)
    }
  }
  return groups
}

interface PlannedGroup {
  readonly group: readonly PendingCommand[]
  readonly execute: () => BatchResults<unknown>
}

const batchOf = (group: readonly PendingCommand[]): Batch<unknown, unknown> => (group[0] as PendingCommand).batch

const inputsOf = (group: readonly PendingCommand[]): readonly unknown[] => group.map((command) => command.input)

const executeGroup = (tx: Tx, group: readonly PendingCommand[]): BatchResults<unknown> => batchOf(group)(tx, inputsOf(group))

/** Starts the batches that read first, where that saves a round trip. The others run before them, so that their first statements share one. */
function planGroups(tx: Tx, groups: readonly (readonly PendingCommand[])[]): PlannedGroup[] {
  const startsEarly = groups.length > 1 && !tx.dialect.usesSavepoints
  const started: PlannedGroup[] = []
  const others: PlannedGroup[] = []
  for (const group of groups) {
    const { start } = batchOf(group)
    if (startsEarly && start) started.push({ group, execute: start(tx, inputsOf(group)) })
    else others.push({ group, execute: () => executeGroup(tx, group) })
  }
  return [...others, ...started]
}

/** An error of the error catalogue, thrown on purpose. */
const isRefusal = (error: unknown): boolean => error instanceof Error && 'status' in error
