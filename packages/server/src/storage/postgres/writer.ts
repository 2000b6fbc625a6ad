import type pg from 'pg'
import type { SqlValue, WriteConnection } from '../connection.ts'
import { preparedStatementName, type Session } from './session.ts'

/** The log lock. Any constant works as long as every replica uses the same one. */
const lockLogOrder = 'select pg_advisory_xact_lock(7277001)'

/**
 * Runs a transaction in as few round trips as possible. `begin` is sent with the first statement. Statements under the log lock are bound ahead and
 * run by the same message that commits, so the database takes and releases the lock by itself. A server that freezes at any moment cannot hold it.
 */
export class PostgresWriter implements WriteConnection {
  readonly #session: Session
  readonly #notify: (notifications: ReadonlySet<string>) => string
  /** `begin` is not sent yet. */
  #isBeginPending = false
  #portals: Promise<unknown>[] = []

  constructor(session: Session, notify: (notifications: ReadonlySet<string>) => string) {
    this.#session = session
    this.#notify = notify
  }

  get lost(): Error | undefined {
    return this.#session.lost
  }

  async all<R>(text: string, values: readonly SqlValue[]): Promise<R[]> {
    return (await this.#send(text, values)).rows as R[]
  }

  async run(text: string, values: readonly SqlValue[]): Promise<number> {
    return (await this.#send(text, values)).rowCount ?? 0
  }

  async runEach(text: string, rows: readonly (readonly SqlValue[])[]): Promise<number> {
    let changed = 0
    for (const values of rows) changed += await this.run(text, values)
    return changed
  }

  async script(text: string): Promise<void> {
    const begin = this.#consumeBegin() ? `${this.#session.beginText}; ` : ''
    await this.#session.script(begin + text)
  }

  async begin(): Promise<void> {
    this.#isBeginPending = true
    this.#portals = []
  }

  async runInLogOrder(text: string, values: readonly SqlValue[]): Promise<void> {
    const portal = `log_${this.#portals.length}`
    const bound = this.#session.send({ text, name: preparedStatementName(text), values, begin: this.#consumeBegin(), portal })
    // The commit checks the result.
    bound.catch(() => undefined)
    this.#portals.push(bound)
  }

  async commit(notifications: ReadonlySet<string>): Promise<void> {
    const isEmpty = this.#consumeBegin()
    if (isEmpty && notifications.size === 0) return
    const steps = isEmpty ? [this.#session.beginText] : []
    if (this.#portals.length > 0) steps.push(lockLogOrder, ...this.#portals.map((_, n) => `fetch all from log_${n}`))
    if (notifications.size > 0) steps.push(this.#notify(notifications))
    const [committed] = await Promise.allSettled([this.#session.script([...steps, 'commit'].join('; ')), ...this.#portals])
    // The error of a failed portal comes first: it causes the others.
    await Promise.all(this.#portals)
    if (committed.status === 'rejected') throw committed.reason
    // PostgreSQL reports success for the commit of a broken transaction and rolls back.
    if (lastResult(committed.value).command !== 'COMMIT') throw new Error('The transaction was broken and has been rolled back')
  }

  async rollback(): Promise<void> {
    if (this.#consumeBegin() || this.#session.lost) return
    await this.#session.script('rollback')
  }

  #send(text: string, values: readonly SqlValue[]): Promise<pg.QueryResult> {
    return this.#session.send({ text, name: preparedStatementName(text), values, begin: this.#consumeBegin() })
  }

  #consumeBegin(): boolean {
    const wasPending = this.#isBeginPending
    this.#isBeginPending = false
    return wasPending
  }
}

const lastResult = (result: pg.QueryResult | pg.QueryResult[]): pg.QueryResult => (Array.isArray(result) ? (result.at(-1) as pg.QueryResult) : result)
