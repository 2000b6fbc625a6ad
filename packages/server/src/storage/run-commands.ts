import { conflict, rowsHeld, tooLarge, unavailable, unknownReference } from '../errors.ts'
import type { Actor } from '../lib/actor.ts'
import type { EventRecord } from '../lib/event-record.ts'
import { type Micros, monotonicSeconds } from '../lib/time.ts'
import type { WriteConnection } from './connection.ts'
import { type Batch, HeldRow, type Tx } from './database.ts'
import type { Dialect } from './dialect.ts'
import { Transaction } from './transaction.ts'

/** What a tracer remembers of a command. */
export interface TracedCommand {
  readonly submitted: Micros
}

export interface PendingCommand {
  readonly actor: Actor
  readonly batch: Batch<unknown, unknown>
  readonly input: unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  readonly traced: TracedCommand | undefined
  readonly submittedAt: number
  isSettled: boolean
  /** Waits for a row that somebody else holds, or for another attempt after that. */
  isHeld: boolean
}

export interface RunOptions {
  readonly dialect: Dialect
  /** Writes the events of a transaction, as the last step before its commit. */
  readonly writeEvents: (tx: Tx, events: readonly EventRecord[]) => Promise<void>
  /** Called after a commit, or one whose outcome is unknown, with its topics and events. */
  readonly onCommit: (topics: ReadonlySet<string>, events: readonly EventRecord[]) => void
  /** Called after a commit with its commands and the time of its transaction. */
  readonly onBatch: (commands: readonly PendingCommand[], seconds: number) => void
  /** Takes a command whose row another transaction holds. It is not settled. The row may be unknown, if a statement of the command has waited for it in vain. */
  readonly onHeld: (command: PendingCommand, row: string | undefined) => void
}

/**
 * How a transaction runs. `shared`: all commands at once; the first failure rolls all of them back. `held`: commands for one row that somebody may hold, which wait
 * for no lock.
 */
type Mode = 'shared' | 'held'

/** Why a transaction was rolled back, and how long it took. */
interface Failure {
  readonly error: unknown
  readonly seconds: number
}

type Outcome = { readonly value: unknown } | { readonly error: unknown }

const attemptsMax = 5

/** A command that waited longer than this for a lock is not retried. */
const retryableWaitSeconds = 1

/** Runs commands in transactions and settles them. */
export class CommandRunner {
  readonly #options: RunOptions
  readonly #dialect: Dialect

  constructor(options: RunOptions) {
    this.#options = options
    this.#dialect = options.dialect
  }

  /** Settles all commands but those whose row is held. Throws if the connection is lost; what is not settled by then has not happened. */
  async runShared(connection: WriteConnection, commands: readonly PendingCommand[], onCommit: () => void): Promise<void> {
    const failed = await this.#try(connection, commands, 'shared', onCommit)
    if (!failed) return
    if (commands.length === 1) return this.#repeat(connection, commands[0] as PendingCommand, failed)
    // A conflict with another transaction concerns all commands, and is over. A lock is not.
    const isOver = this.#dialect.isTransient(failed.error) && !this.#dialect.isHeld(failed.error)
    if (isOver && !(await this.#try(connection, commands, 'shared', onCommit))) return
    await this.#runHalves(connection, commands)
  }

  /** Halves the commands until the one that fails is alone. */
  async #runHalves(connection: WriteConnection, commands: readonly PendingCommand[]): Promise<void> {
    const middle = Math.ceil(commands.length / 2)
    for (const half of [commands.slice(0, middle), commands.slice(middle)]) {
      const failed = await this.#try(connection, half, 'shared')
      if (failed && half.length > 1) await this.#runHalves(connection, half)
      else if (failed) await this.#repeat(connection, half[0] as PendingCommand, failed)
    }
  }

  /** Runs a command again that has failed alone, if that can help. */
  async #repeat(connection: WriteConnection, command: PendingCommand, first: Failure): Promise<void> {
    let failed: Failure | undefined = first
    for (let attempt = 1; failed; attempt += 1) {
      if (this.#dialect.isHeld(failed.error)) return this.#options.onHeld(command, undefined)
      if (!this.#shouldRetry(failed, attempt)) return this.fail(command, failed.error)
      failed = await this.#try(connection, [command], 'shared')
    }
  }

  /** Runs commands for a row that somebody may hold, and returns those for which it is still held. */
  async runHeld(connection: WriteConnection, commands: readonly PendingCommand[]): Promise<readonly PendingCommand[]> {
    const failed = await this.#try(connection, commands, 'held')
    if (failed && this.#dialect.isHeld(failed.error)) return commands
    if (failed && commands.length === 1) await this.#repeat(connection, commands[0] as PendingCommand, failed)
    else if (failed) await this.#runHalves(connection, commands)
    return commands.filter(({ isSettled, isHeld }) => !isSettled && !isHeld)
  }

  fail(command: PendingCommand, error: unknown): void {
    command.isSettled = true
    command.reject(this.#toApiError(error))
  }

  isConnectionLost(error: unknown): boolean {
    return ['lost', 'unreachable'].includes(this.#dialect.unavailability(error) ?? '')
  }

  /** Returns the error of a transaction that was rolled back and settled no command. */
  async #try(connection: WriteConnection, commands: readonly PendingCommand[], mode: Mode, onCommit?: () => void): Promise<Failure | undefined> {
    const tx = new Transaction(connection, this.#dialect)
    const outcomes = new Map<PendingCommand, Outcome>()
    const began = monotonicSeconds()
    let committing = false
    try {
      await connection.begin()
      if (mode === 'held' && this.#dialect.skipLockWait !== null) await connection.script(this.#dialect.skipLockWait)
      for (const group of groupByBatch(commands)) await runGroup(tx, group, outcomes)
      if (tx.events.length > 0) await this.#options.writeEvents(tx, tx.events)
      if (connection.lost) throw connection.lost
      committing = true
      const committed = connection.commit(tx.notifications)
      onCommit?.()
      await committed
    } catch (error) {
      if (committing && this.isConnectionLost(error) && !this.#dialect.provesRollback(error)) {
        // The transaction may be committed. A retry could apply it twice, so the clients get an error.
        for (const command of commands) this.fail(command, error)
        this.#options.onCommit(tx.topics, tx.events)
        throw error
      }
      await connection.rollback().catch(() => undefined)
      if (this.isConnectionLost(error) || this.#isRefusing(error) || this.#dialect.isOutdatedStatement(error)) throw error
      return { error, seconds: monotonicSeconds() - began }
    }
    if (tx.topics.size > 0 || tx.events.length > 0) this.#options.onCommit(tx.topics, tx.events)
    this.#options.onBatch([...outcomes.keys()], monotonicSeconds() - began)
    for (const [command, outcome] of outcomes) this.#settle(command, outcome, mode)
    return undefined
  }

  #settle(command: PendingCommand, outcome: Outcome, mode: Mode): void {
    if ('value' in outcome) {
      command.isSettled = true
      command.resolve(outcome.value)
    } else if (!(outcome.error instanceof HeldRow)) this.fail(command, outcome.error)
    else if (mode !== 'held') this.#options.onHeld(command, outcome.error.message)
  }

  /** The database rejects all writes for now. A lock or a slow statement may concern a single command, so these do not count. */
  #isRefusing(error: unknown): boolean {
    return this.#dialect.unavailability(error) === 'refusing' && !this.#dialect.isTransient(error) && !this.#dialect.isTimeout(error)
  }

  #shouldRetry({ error, seconds }: Failure, attempt: number): boolean {
    // Another replica may have inserted the key meanwhile. The retry reads that row.
    if (this.#dialect.isUniqueViolation(error)) return attempt === 1
    if (!this.#dialect.isTransient(error) || attempt >= attemptsMax) return false
    return !this.#dialect.isTimeout(error) || seconds < retryableWaitSeconds
  }

  /** Translates a database error for the client. */
  #toApiError(error: unknown): unknown {
    if (this.#dialect.isHeld(error)) return rowsHeld()
    if (this.#dialect.isUnavailable(error)) return unavailable(error)
    if (this.#dialect.isUniqueViolation(error)) return conflict('An object with this name or key already exists')
    if (this.#dialect.isForeignKeyViolation(error)) return unknownReference('A referenced object')
    if (this.#dialect.isKeyTooLong(error)) return tooLarge('A name or key in this request is longer than about 2,000 characters. Shorten it.')
    return error
  }
}

/** Runs commands of one batch. Throws when the whole transaction has to be rolled back. */
async function runGroup(tx: Transaction, group: readonly PendingCommand[], outcomes: Map<PendingCommand, Outcome>): Promise<void> {
  const mark = tx.mark()
  const [{ batch, actor }] = group as [PendingCommand]
  try {
    const results = await batch(
      tx,
      group.map(({ input }) => input),
    )
    // Commands of a batch have actors of their own.
    if (batch === (single as unknown)) tx.addActorSince(mark, actor)
    for (const [index, command] of group.entries()) outcomes.set(command, toOutcome(results[index]))
  } catch (error) {
    // Only a command that was refused before its first write leaves the transaction usable.
    if (group.length > 1 || !isRefusal(error) || tx.hasWrittenSince(mark)) throw error
    outcomes.set(group[0] as PendingCommand, { error })
  }
}

const toOutcome = (result: unknown): Outcome => (result instanceof Error ? { error: result } : { value: result })

/** The batch of commands that are functions: each is a group of its own. */
export const single: Batch<(tx: Tx) => Promise<unknown>, unknown> = async (tx, [command]) => [await command?.(tx)]

/** Groups commands by batch in the order of arrival. All commands are concurrent, so no order between groups is required. */
function groupByBatch(commands: readonly PendingCommand[]): PendingCommand[][] {
  const groups: PendingCommand[][] = []
  const groupOf = new Map<unknown, PendingCommand[]>()
  for (const command of commands) {
    const existing = groupOf.get(command.batch)
    if (existing) existing.push(command)
    else {
      const group = [command]
      groups.push(group)
      if (command.batch !== (single as unknown)) groupOf.set(command.batch, group)
    }
  }
  return groups
}

/** An error of the error catalogue, thrown on purpose. */
const isRefusal = (error: unknown): boolean => error instanceof Error && 'status' in error
