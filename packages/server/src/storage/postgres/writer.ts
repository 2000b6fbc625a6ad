import type pg from 'pg'
import type { ReadOptions, SqlValue, WriteConnection } from '../connection.ts'
import type { Session } from './session.ts'
import type { BoundStatement, Step } from './session-query.ts'

/** Any constant works as long as every replica uses the same one. */
const logLock = 'pg_advisory_xact_lock(7277001)'

/** All commits wait for this lock, and most of them for the disk. So it has more time than the locks of rows. */
const waitForLog = "set_config('lock_timeout', '3000', true)"

/** Takes the log lock of a server that is alone. */
const lockLogOrder = `select ${waitForLog}, ${logLock}`

/**
 * A commit releases its locks after it is on the disk. Under the log lock that would let one transaction of all servers commit at a time. So several servers
 * commit first, and then wait for the commit of a transaction that only writes a message to the log. PostgreSQL does not flush a transaction that writes nothing.
 * The flushes of several servers are one. A server that is alone would only do more work: its next transaction waits at the lock for the little that is left.
 */
const lockLogOrderUnflushed = `select set_config('synchronous_commit', 'off', true), ${waitForLog}, ${logLock}`
const flushCommits = "select pg_logical_emit_message(true, 'millrace', '')"

/**
 * A transaction that writes nothing, or the server before it, may have read such a commit before its flush, and a repeated request would then be acknowledged
 * while a crash or a failover can still undo the first one. So it waits for the flush too, unless everything is on the disk and no standby is required. On a
 * standby, where it cannot, it fails like a write.
 */
const awaitReadCommits = `${flushCommits} where case when pg_is_in_recovery() then pg_current_xact_id() is null
  else pg_current_xact_id_if_assigned() is null
    and (pg_current_wal_insert_lsn() > pg_current_wal_flush_lsn() or current_setting('synchronous_standby_names') <> '') end`

/**
 * Runs a transaction in as few messages as possible. `begin` is sent with the first statement. Statements under the log lock are bound ahead and run by the
 * message that commits, so the database takes and releases the lock by itself. A server that freezes at any moment cannot hold it.
 */
export class PostgresWriter implements WriteConnection {
  readonly #session: Session
  readonly #notify: (notifications: ReadonlySet<string>) => string | undefined
  /** `begin` is not sent yet. */
  #isBeginPending = false
  /** Statements of `runLater` that are not sent yet. */
  #later: BoundStatement[] = []
  /** Statements under the log lock, which are sent with the commit. */
  #logged: BoundStatement[] = []
  /** Messages whose result the commit checks. */
  #unchecked: Promise<unknown>[] = []
  /** Whether a statement under the log lock ignores rows that exist, so that the transaction may write nothing. */
  #ignoresExisting = false
  /** Whether a statement of `runLater` has inserted rows: the commit then waits for its own flush. */
  #hasInserted = false

  constructor(session: Session, notify: (notifications: ReadonlySet<string>) => string | undefined) {
    this.#session = session
    this.#notify = notify
  }

  get lost(): Error | undefined {
    return this.#session.lost
  }

  async all<R>(text: string, values: readonly SqlValue[], options?: ReadOptions): Promise<R[]> {
    return (await this.#sendAfterLater({ text, values, replans: options?.replans })).rows as R[]
  }

  async run(text: string, values: readonly SqlValue[]): Promise<number> {
    return (await this.#sendAfterLater({ text, values })).rowCount ?? 0
  }

  async runEach(text: string, rows: readonly (readonly SqlValue[])[]): Promise<number> {
    let changed = 0
    for (const values of rows) changed += await this.run(text, values)
    return changed
  }

  async script(text: string): Promise<void> {
    if (this.#later.length > 0) await this.#sendAfterLater()
    const begin = this.#consumeBegin() ? `${this.#session.beginText}; ` : ''
    await this.#session.script(begin + text)
  }

  async begin(): Promise<void> {
    this.#isBeginPending = true
    this.#later = []
    this.#logged = []
    this.#unchecked = []
    this.#ignoresExisting = false
    this.#hasInserted = false
  }

  async runInLogOrder(text: string, values: readonly SqlValue[], { ignoresExisting = false } = {}): Promise<void> {
    this.#ignoresExisting ||= ignoresExisting
    this.#logged.push({ text, values, portal: `log_${this.#logged.length}` })
  }

  async runLater(text: string, values: readonly SqlValue[], { inserts = false } = {}): Promise<void> {
    this.#hasInserted ||= inserts
    this.#later.push({ text, values })
  }

  async commit(notifications: ReadonlySet<string>): Promise<void> {
    const notify = notifications.size > 0 ? this.#notify(notifications) : undefined
    const isAlone = notifications.size > 0 && notify === undefined
    const isLogged = this.#logged.length > 0
    const awaitsOthers = !this.#hasInserted && (!isLogged || (isAlone && this.#ignoresExisting))
    const isOneMessage = !awaitsOthers && notify === undefined && (isAlone || !isLogged) && !this.#session.isPooled
    await (isOneMessage ? this.#commitAtOnce() : this.#commitByScript({ notify, isAlone, awaitsOthers }))
    if (isAlone) await this.#notifyLate(notifications)
  }

  /**
   * Sends all that is left and the commit as one message. The database runs each part of it as it arrives. So only a server that is alone does this with the log
   * lock: if it froze with half of the message sent, others would wait for the lock.
   */
  async #commitAtOnce(): Promise<void> {
    const logged = this.#logged
    const steps: Step[] = [...this.#later, ...logged]
    if (logged.length > 0) steps.push(lockStatement, ...logged.map(({ portal }) => ({ run: portal as string })))
    steps.push(commitStatement)
    this.#later = []
    this.#logged = []
    checkCommitted(await this.#session.send(steps, { begin: this.#consumeBegin() }))
  }

  /** The database reads the whole script before it runs the first statement of it. */
  async #commitByScript({ notify, isAlone, awaitsOthers }: { notify: string | undefined; isAlone: boolean; awaitsOthers: boolean }): Promise<void> {
    const logged = this.#logged
    this.#logged = []
    for (const statement of logged) this.#leaveUnchecked(this.#sendAfterLater(statement))
    if (this.#later.length > 0) this.#leaveUnchecked(this.#sendAfterLater())
    const steps = this.#consumeBegin() ? [this.#session.beginText] : []
    const isFlushedLater = logged.length > 0 && !isAlone
    if (logged.length > 0) steps.push(isAlone ? lockLogOrder : lockLogOrderUnflushed, ...logged.map(({ portal }) => `fetch all from ${portal}`))
    if (awaitsOthers) steps.push(awaitReadCommits)
    if (notify !== undefined) steps.push(notify)
    steps.push('commit')
    if (isFlushedLater) steps.push(flushCommits)
    const [committed] = await Promise.allSettled([this.#session.script(steps.join('; ')), ...this.#unchecked])
    // The error of a message before the commit comes first: it causes the others.
    await Promise.all(this.#unchecked)
    if (committed.status === 'rejected') throw committed.reason
    checkCommitted(resultAt(committed.value, isFlushedLater ? -2 : -1))
  }

  /** Another server may have begun to listen during the commit, after it was told that anything may have changed. */
  async #notifyLate(notifications: ReadonlySet<string>): Promise<void> {
    const notify = this.#notify(notifications)
    if (notify !== undefined) await this.#session.script(notify).catch(() => undefined)
  }

  async rollback(): Promise<void> {
    if (this.#consumeBegin() || this.#session.lost) return
    await this.#session.script('rollback')
  }

  /** Sends the statements of `runLater` and this one as one message. */
  #sendAfterLater(statement?: BoundStatement): Promise<pg.QueryResult> {
    const statements = statement ? [...this.#later, statement] : this.#later
    this.#later = []
    return this.#session.send(statements, { begin: this.#consumeBegin() })
  }

  #leaveUnchecked(sent: Promise<unknown>): void {
    sent.catch(() => undefined)
    this.#unchecked.push(sent)
  }

  #consumeBegin(): boolean {
    const wasPending = this.#isBeginPending
    this.#isBeginPending = false
    return wasPending
  }
}

const resultAt = (results: pg.QueryResult | pg.QueryResult[], index: number): pg.QueryResult | undefined => [results].flat().at(index)

/** PostgreSQL reports success for the commit of a broken transaction and rolls back. */
function checkCommitted(result: pg.QueryResult | undefined): void {
  if (result?.command !== 'COMMIT') throw new Error('The transaction was broken and has been rolled back')
}

const lockStatement = { text: lockLogOrder, values: [] }
const commitStatement = { text: 'commit', values: [] }
