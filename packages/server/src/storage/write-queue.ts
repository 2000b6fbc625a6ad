import { conflict, overloaded, tooLarge, unavailable, unknownReference } from '../errors.ts'
import type { EventRecord } from '../lib/event-record.ts'
import { monotonicSeconds } from '../lib/time.ts'
import type { WriteConnection } from './connection.ts'
import type { Tx } from './database.ts'
import type { Pool } from './pool.ts'
import { Transaction } from './transaction.ts'

/** Carries out many inputs of one kind in one go. An entry that is an `Error` fails its own command alone. */
export type Batch<I, R> = (tx: Tx, inputs: readonly I[]) => Promise<readonly (R | Error)[]>

export interface WriteQueue {
  /** Carries out one command; resolves after the commit. */
  submit<R>(command: (tx: Tx) => Promise<R>): Promise<R>
  /** The same for a kind of command of which many are best done together. */
  submitTo<I, R>(batch: Batch<I, R>, input: I): Promise<R>
  submitAll<I, R>(batch: Batch<I, R>, inputs: readonly I[]): Promise<R[]>
  /** Resolves when everything handed in so far was answered. */
  drain(): Promise<void>
  /** Why writes do not get through at the moment; undefined while they do, as far as is known. */
  stallReason(): string | undefined
}

export interface WriteQueueOptions {
  /** Writes the events of a transaction; the last thing before its commit. */
  readonly writeEvents: (tx: Tx, events: readonly EventRecord[]) => Promise<void>
  /** Told which topics a commit touched. */
  readonly onCommit: (topics: ReadonlySet<string>, events: readonly EventRecord[]) => void
}

interface PendingCommand {
  readonly batch: Batch<unknown, unknown>
  readonly input: unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  isSettled: boolean
}

type Outcome = { readonly value: unknown } | { readonly error: unknown }

/** Commands that wait at most; more are told to come back, so that memory stays bounded whatever the load. */
const pendingMax = 20_000
const attemptsMax = 5

/** Connections that are tried when one breaks before the commit. */
const connectionAttemptsMax = 3

/** Whoever waited longer than this for a lock does not wait for it again. */
const retryableWaitSeconds = 1

/** Commands that wait for this long without one being answered do not get through. */
const stalledSeconds = 3

/** A database that was away is taken for being back after this, so that somebody tries. */
const unavailableSeconds = 5

/**
 * The one way to write. Commands that arrive in one turn of the event loop share a transaction (`setImmediate`, no
 * timer), so that one fsync serves them all; each is isolated, so that a failing one leaves nothing behind.
 */
export function createWriteQueue(pool: Pool, options: WriteQueueOptions): WriteQueue {
  let pending: PendingCommand[] = []
  let scheduled = false
  let running = 0
  const drainListeners = new Set<() => void>()
  /** When commands began to wait, or one was last answered. */
  let lastProgressAt = monotonicSeconds()
  /** When the database was last found to be away; undefined since a write got through. */
  let unavailableSince: number | undefined

  const single: Batch<(tx: Tx) => Promise<unknown>, unknown> = async (tx, [command]) => [await (command as (tx: Tx) => Promise<unknown>)(tx)]

  function enqueue(batch: Batch<never, unknown>, input: unknown): Promise<unknown> {
    if (pending.length >= pendingMax) return Promise.reject(overloaded())
    if (running === 0 && pending.length === 0) lastProgressAt = monotonicSeconds()
    return new Promise((resolve, reject) => {
      pending.push({ batch: batch as Batch<unknown, unknown>, input, resolve, reject, isSettled: false })
      schedule()
    })
  }

  function schedule(): void {
    if (scheduled || running >= pool.writersMax || pending.length === 0) return
    scheduled = true
    setImmediate(flush)
  }

  async function flush(): Promise<void> {
    scheduled = false
    const commands = pending
    pending = []
    running += 1
    try {
      await executeCommands(commands)
    } finally {
      running -= 1
      schedule()
      if (running === 0 && pending.length === 0) for (const done of drainListeners) done()
    }
  }

  function fail(command: PendingCommand, error: unknown): void {
    command.isSettled = true
    command.reject(toApiError(error))
  }

  /** Answers all of them. When a connection breaks before the commit, nothing happened yet, and those without an answer get another one. */
  async function executeCommands(commands: readonly PendingCommand[]): Promise<void> {
    for (let connections = 1; ; connections += 1) {
      const open = commands.filter(({ isSettled: answered }) => !answered)
      if (open.length === 0) return
      try {
        await pool.withWriter((connection) => executeBatch(connection, open))
        unavailableSince = undefined
      } catch (error) {
        const kind = pool.dialect.unavailability(error)
        if (kind === 'lost' && connections < connectionAttemptsMax) continue
        if (kind) unavailableSince = monotonicSeconds()
        for (const command of open) if (!command.isSettled) fail(command, error)
        // Those that came meanwhile would wait for the same, as long again.
        if (kind === 'unreachable') for (const command of pending.splice(0)) fail(command, error)
      }
      lastProgressAt = monotonicSeconds()
      return
    }
  }

  async function executeBatch(connection: WriteConnection, commands: readonly PendingCommand[]): Promise<void> {
    if (await runTransaction(connection, groupByBatch(commands, single as Batch<never, unknown>), 1)) return
    // Something in it broke the whole transaction: each on its own, so that only the guilty one fails.
    for (const command of commands) {
      try {
        for (let attempt = 1; !(await runTransaction(connection, [[command]], attempt)); attempt += 1);
      } catch (error) {
        if (isConnectionLost(error)) throw error
        fail(command, error)
      }
    }
  }

  /** One transaction over the groups. False when it was rolled back, nobody was answered and it is worth another try. */
  async function runTransaction(connection: WriteConnection, groups: readonly (readonly PendingCommand[])[], attempt: number): Promise<boolean> {
    const tx = new Transaction(connection, pool.dialect)
    const outcomes = new Map<PendingCommand, Outcome>()
    const began = monotonicSeconds()
    let committing = false
    try {
      await connection.begin()
      // One group has nobody to be kept from: rolled back as a whole it costs less than the copies of pages that a savepoint keeps.
      const savepoints = pool.dialect.usesSavepoints && groups.length > 1
      for (const group of groups) await runIsolated(connection, tx, group, outcomes, savepoints)
      if (tx.events.length > 0) await options.writeEvents(tx, tx.events)
      if (connection.lost) throw connection.lost
      committing = true
      await connection.commit(tx.notifications)
    } catch (error) {
      if (committing && isConnectionLost(error) && !pool.dialect.provesRollback(error)) {
        // It may have been committed. To do it again could do it twice: clients are told to look.
        for (const group of groups) for (const command of group) fail(command, error)
        options.onCommit(tx.topics, tx.events)
        throw error
      }
      await connection.rollback().catch(() => undefined)
      if (isConnectionLost(error) || isRefusing(error)) throw error
      const alone = groups.length === 1 && groups[0]?.length === 1
      if (!alone || shouldRetry(error, attempt, monotonicSeconds() - began)) return false
      throw error
    }
    if (tx.topics.size > 0 || tx.events.length > 0) options.onCommit(tx.topics, tx.events)
    lastProgressAt = monotonicSeconds()
    for (const [command, outcome] of outcomes) {
      if ('error' in outcome) fail(command, outcome.error)
      else {
        command.isSettled = true
        command.resolve(outcome.value)
      }
    }
    return true
  }

  /** The connection is of no use any more. */
  const isConnectionLost = (error: unknown): boolean => ['lost', 'unreachable'].includes(pool.dialect.unavailability(error) ?? '')

  /** Nothing would be taken now, also not command by command: a lock or a slow statement may concern one of them only. */
  const isRefusing = (error: unknown): boolean =>
    pool.dialect.unavailability(error) === 'refusing' && !pool.dialect.isTransient(error) && !pool.dialect.isTimeout(error)

  function shouldRetry(error: unknown, attempt: number, tookSeconds: number): boolean {
    // A key that another replica took meanwhile is seen by the next try, which then finds what has it.
    if (pool.dialect.isUniqueViolation(error)) return attempt === 1
    if (!pool.dialect.isTransient(error) || attempt >= attemptsMax) return false
    return !pool.dialect.isTimeout(error) || tookSeconds < retryableWaitSeconds
  }

  /** What a client hears of an error of the database. */
  function toApiError(error: unknown): unknown {
    if (pool.dialect.isUnavailable(error)) return unavailable(error)
    if (pool.dialect.isUniqueViolation(error)) return conflict('Something with this name or key exists already')
    if (pool.dialect.isForeignKeyViolation(error)) return unknownReference('Something that this refers to')
    if (pool.dialect.isKeyTooLong(error)) return tooLarge('A name or key in this request is too long: some 2,000 characters are the most')
    return error
  }

  /** Runs a group so that what fails leaves nothing behind; throws when the transaction as a whole is spoilt. */
  async function runIsolated(
    connection: WriteConnection,
    tx: Transaction,
    group: readonly PendingCommand[],
    outcomes: Map<PendingCommand, Outcome>,
    savepoints: boolean,
  ): Promise<void> {
    const mark = tx.mark()
    if (savepoints) await connection.run('savepoint command', [])
    try {
      const results = await (group[0] as PendingCommand).batch(
        tx,
        group.map((command) => command.input),
      )
      group.forEach((command, index) => {
        const result = results[index]
        outcomes.set(command, result instanceof Error ? { error: result } : { value: result })
      })
      if (savepoints) await connection.run('release command', [])
    } catch (error) {
      if (pool.dialect.isUnavailable(error)) throw error
      // Without savepoints only a command that looked and then refused has spoilt nothing.
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
    stallReason() {
      const now = monotonicSeconds()
      if (unavailableSince !== undefined && now - unavailableSince < unavailableSeconds) return 'the last write failed'
      const waited = now - lastProgressAt
      return (running > 0 || pending.length > 0) && waited >= stalledSeconds ? `writes wait for ${Math.floor(waited)} seconds` : undefined
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

/** Commands of one kind together, in the order of arrival; all of them are concurrent, so that no order among kinds is owed. */
function groupByBatch(commands: readonly PendingCommand[], single: Batch<never, unknown>): PendingCommand[][] {
  const groups: PendingCommand[][] = []
  const open = new Map<unknown, PendingCommand[]>()
  for (const command of commands) {
    const known = command.batch === (single as unknown) ? undefined : open.get(command.batch)
    if (known) known.push(command)
    else {
      const group = [command]
      groups.push(group)
      open.set(command.batch, group)
    }
  }
  return groups
}

/** An error of our catalogue, thrown on purpose. */
const isRefusal = (error: unknown): boolean => error instanceof Error && 'status' in error
