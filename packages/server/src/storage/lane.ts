import { conflict, overloaded, tooLarge, unavailable, unknownReference } from '../errors.ts'
import type { EventRecord } from '../lib/event-record.ts'
import { monotonicSeconds } from '../lib/time.ts'
import type { WriteConnection } from './connection.ts'
import type { Tx } from './database.ts'
import { OpenTx } from './open-tx.ts'
import type { Pool } from './pool.ts'

/** Carries out many inputs of one kind in one go. An entry that is an `Error` fails its own command alone. */
export type Batch<I, R> = (tx: Tx, inputs: readonly I[]) => Promise<readonly (R | Error)[]>

export interface Lane {
  /** Carries out one command; resolves after the commit. */
  submit<R>(command: (tx: Tx) => Promise<R>): Promise<R>
  /** The same for a kind of command of which many are best done together. */
  submitTo<I, R>(batch: Batch<I, R>, input: I): Promise<R>
  submitAll<I, R>(batch: Batch<I, R>, inputs: readonly I[]): Promise<R[]>
  /** Resolves when everything handed in so far was answered. */
  drain(): Promise<void>
  /** Why writes do not get through at the moment; undefined while they do, as far as is known. */
  obstacle(): string | undefined
}

export interface LaneOptions {
  /** Writes the events of a transaction; the last thing before its commit. */
  readonly writeEvents: (tx: Tx, events: readonly EventRecord[]) => Promise<void>
  /** Told which topics a commit touched. */
  readonly onCommit: (topics: ReadonlySet<string>, events: readonly EventRecord[]) => void
}

interface Pending {
  readonly batch: Batch<unknown, unknown>
  readonly input: unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  answered: boolean
}

type Outcome = { readonly value: unknown } | { readonly error: unknown }

/** Commands that wait at most; more are told to come back, so that memory stays bounded whatever the load. */
const pendingMax = 20_000
const attemptsMax = 5

/** Connections that are tried when one breaks before the commit. */
const connectionsMax = 3

/** Whoever waited longer than this for a lock does not wait for it again. */
const shortWaitSeconds = 1

/** Commands that wait for this long without one being answered do not get through. */
const stalledSeconds = 3

/** A database that was away is taken for being back after this, so that somebody tries. */
const awaySeconds = 5

/**
 * The one way to write. Commands that arrive in one turn of the event loop share a transaction (`setImmediate`, no
 * timer), so that one fsync serves them all; each is isolated, so that a failing one leaves nothing behind.
 */
export function createLane(pool: Pool, options: LaneOptions): Lane {
  let pending: Pending[] = []
  let scheduled = false
  let running = 0
  const idle = new Set<() => void>()
  /** When commands began to wait, or one was last answered. */
  let progressAt = monotonicSeconds()
  /** When the database was last found to be away; undefined since a write got through. */
  let awayAt: number | undefined

  const single: Batch<(tx: Tx) => Promise<unknown>, unknown> = async (tx, [command]) => [await (command as (tx: Tx) => Promise<unknown>)(tx)]

  function enqueue(batch: Batch<never, unknown>, input: unknown): Promise<unknown> {
    if (pending.length >= pendingMax) return Promise.reject(overloaded())
    if (running === 0 && pending.length === 0) progressAt = monotonicSeconds()
    return new Promise((resolve, reject) => {
      pending.push({ batch: batch as Batch<unknown, unknown>, input, resolve, reject, answered: false })
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
      await serve(commands)
    } finally {
      running -= 1
      schedule()
      if (running === 0 && pending.length === 0) for (const done of idle) done()
    }
  }

  function fail(command: Pending, error: unknown): void {
    command.answered = true
    command.reject(told(error))
  }

  /** Answers all of them. When a connection breaks before the commit, nothing happened yet, and those without an answer get another one. */
  async function serve(commands: readonly Pending[]): Promise<void> {
    for (let connections = 1; ; connections += 1) {
      const open = commands.filter(({ answered }) => !answered)
      if (open.length === 0) return
      try {
        await pool.withWriter((connection) => carryOut(connection, open))
        awayAt = undefined
      } catch (error) {
        const kind = pool.dialect.unavailability(error)
        if (kind === 'lost' && connections < connectionsMax) continue
        if (kind) awayAt = monotonicSeconds()
        for (const command of open) if (!command.answered) fail(command, error)
        // Those that came meanwhile would wait for the same, as long again.
        if (kind === 'unreachable') for (const command of pending.splice(0)) fail(command, error)
      }
      progressAt = monotonicSeconds()
      return
    }
  }

  async function carryOut(connection: WriteConnection, commands: readonly Pending[]): Promise<void> {
    if (await transact(connection, grouped(commands, single as Batch<never, unknown>), 1)) return
    // Something in it broke the whole transaction: each on its own, so that only the guilty one fails.
    for (const command of commands) {
      try {
        for (let attempt = 1; !(await transact(connection, [[command]], attempt)); attempt += 1);
      } catch (error) {
        if (isAway(error)) throw error
        fail(command, error)
      }
    }
  }

  /** One transaction over the groups. False when it was rolled back, nobody was answered and it is worth another try. */
  async function transact(connection: WriteConnection, groups: readonly (readonly Pending[])[], attempt: number): Promise<boolean> {
    const tx = new OpenTx(connection, pool.dialect)
    const outcomes = new Map<Pending, Outcome>()
    const began = monotonicSeconds()
    let committing = false
    try {
      await connection.begin()
      // One group has nobody to be kept from: rolled back as a whole it costs less than the copies of pages that a savepoint keeps.
      const savepoints = pool.dialect.savepoints && groups.length > 1
      for (const group of groups) await isolated(connection, tx, group, outcomes, savepoints)
      if (tx.events.length > 0) await options.writeEvents(tx, tx.events)
      if (connection.lost) throw connection.lost
      committing = true
      await connection.commit(tx.notices)
    } catch (error) {
      if (committing && isAway(error) && !pool.dialect.provesRollback(error)) {
        // It may have been committed. To do it again could do it twice: clients are told to look.
        for (const group of groups) for (const command of group) fail(command, error)
        options.onCommit(tx.topics, tx.events)
        throw error
      }
      await connection.rollback().catch(() => undefined)
      if (isAway(error) || isRefusing(error)) throw error
      const alone = groups.length === 1 && groups[0]?.length === 1
      if (!alone || worthAnotherTry(error, attempt, monotonicSeconds() - began)) return false
      throw error
    }
    if (tx.topics.size > 0 || tx.events.length > 0) options.onCommit(tx.topics, tx.events)
    progressAt = monotonicSeconds()
    for (const [command, outcome] of outcomes) {
      if ('error' in outcome) fail(command, outcome.error)
      else {
        command.answered = true
        command.resolve(outcome.value)
      }
    }
    return true
  }

  /** The connection is of no use any more. */
  const isAway = (error: unknown): boolean => ['lost', 'unreachable'].includes(pool.dialect.unavailability(error) ?? '')

  /** Nothing would be taken now, also not command by command: a lock or a slow statement may concern one of them only. */
  const isRefusing = (error: unknown): boolean =>
    pool.dialect.unavailability(error) === 'refusing' && !pool.dialect.isTransient(error) && !pool.dialect.isTimeout(error)

  function worthAnotherTry(error: unknown, attempt: number, tookSeconds: number): boolean {
    // A key that another replica took meanwhile is seen by the next try, which then finds what has it.
    if (pool.dialect.isUniqueViolation(error)) return attempt === 1
    if (!pool.dialect.isTransient(error) || attempt >= attemptsMax) return false
    return !pool.dialect.isTimeout(error) || tookSeconds < shortWaitSeconds
  }

  /** What a client hears of an error of the database. */
  function told(error: unknown): unknown {
    if (pool.dialect.isUnavailable(error)) return unavailable(error)
    if (pool.dialect.isUniqueViolation(error)) return conflict('Something with this name or key exists already')
    if (pool.dialect.isForeignKeyViolation(error)) return unknownReference('Something that this refers to')
    if (pool.dialect.isTooLong(error)) return tooLarge('A name or key in this request is too long: some 2,000 characters are the most')
    return error
  }

  /** Runs a group so that what fails leaves nothing behind; throws when the transaction as a whole is spoilt. */
  async function isolated(
    connection: WriteConnection,
    tx: OpenTx,
    group: readonly Pending[],
    outcomes: Map<Pending, Outcome>,
    savepoints: boolean,
  ): Promise<void> {
    const mark = tx.mark()
    if (savepoints) await connection.run('savepoint command', [])
    try {
      const results = await (group[0] as Pending).batch(
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
      if (!savepoints && (group.length > 1 || tx.wroteSince(mark) || !isRefusal(error))) throw error
      if (savepoints) {
        await connection.run('rollback to command', [])
        await connection.run('release command', [])
        tx.backTo(mark)
      }
      if (group.length === 1) outcomes.set(group[0] as Pending, { error })
      else for (const command of group) await isolated(connection, tx, [command], outcomes, savepoints)
    }
  }

  return {
    submit: <R>(command: (tx: Tx) => Promise<R>) => enqueue(single as Batch<never, unknown>, command) as Promise<R>,
    submitTo: <I, R>(batch: Batch<I, R>, input: I) => enqueue(batch as Batch<never, unknown>, input) as Promise<R>,
    submitAll: <I, R>(batch: Batch<I, R>, inputs: readonly I[]) =>
      Promise.all(inputs.map((input) => enqueue(batch as Batch<never, unknown>, input))) as Promise<R[]>,
    obstacle() {
      const now = monotonicSeconds()
      if (awayAt !== undefined && now - awayAt < awaySeconds) return 'the last write failed'
      const waited = now - progressAt
      return (running > 0 || pending.length > 0) && waited >= stalledSeconds ? `writes wait for ${Math.floor(waited)} seconds` : undefined
    },
    async drain() {
      if (running === 0 && pending.length === 0) return
      await new Promise<void>((resolve) => {
        const done = () => {
          idle.delete(done)
          resolve()
        }
        idle.add(done)
      })
    },
  }
}

/** Commands of one kind together, in the order of arrival; all of them are concurrent, so that no order among kinds is owed. */
function grouped(commands: readonly Pending[], single: Batch<never, unknown>): Pending[][] {
  const groups: Pending[][] = []
  const open = new Map<unknown, Pending[]>()
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
