import type pg from 'pg'
import type { SqlValue, WriteConnection } from '../connection.ts'
import { preparedStatementName, type Session } from './session.ts'

/** Orders the log. One number in the server's lock space; any constant will do as long as every replica uses it. */
const lockLogOrder = 'select pg_advisory_xact_lock(7277001)'

/**
 * A transaction in as few round trips as possible. `begin` rides with the first statement. What has to be done in the order of the log is sent
 * to the database ahead, and done by the one message that also commits: the lock that orders the log is taken and released by the database alone.
 * A server that freezes at any moment cannot hold it.
 */
export class PostgresWriter implements WriteConnection {
  readonly #session: Session
  readonly #notify: (notices: ReadonlySet<string>) => string
  /** `begin` was asked for and not sent. */
  #isBeginPending = false
  #portals: Promise<unknown>[] = []

  constructor(session: Session, notify: (notices: ReadonlySet<string>) => string) {
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
    const begin = this.#consumeBegin() ? 'begin; ' : ''
    await this.#session.script(begin + text)
  }

  async begin(): Promise<void> {
    this.#isBeginPending = true
    this.#portals = []
  }

  async runInLogOrder(text: string, values: readonly SqlValue[]): Promise<void> {
    const portal = `log_${this.#portals.length}`
    const bound = this.#session.send({ text, name: preparedStatementName(text), values, begin: this.#consumeBegin(), portal })
    // Whether it went well is asked for in the commit.
    bound.catch(() => undefined)
    this.#portals.push(bound)
  }

  async commit(notices: ReadonlySet<string>): Promise<void> {
    const nothingSent = this.#consumeBegin()
    if (nothingSent && notices.size === 0) return
    const steps = nothingSent ? ['begin'] : []
    if (this.#portals.length > 0) steps.push(lockLogOrder, ...this.#portals.map((_, n) => `fetch all from log_${n}`))
    if (notices.size > 0) steps.push(this.#notify(notices))
    const [committed] = await Promise.allSettled([this.#session.script([...steps, 'commit'].join('; ')), ...this.#portals])
    // A portal that could not be made has failed first, and is the reason for the rest.
    await Promise.all(this.#portals)
    if (committed.status === 'rejected') throw committed.reason
    // PostgreSQL answers the commit of a broken transaction with success, and rolls back.
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
    const asked = this.#isBeginPending
    this.#isBeginPending = false
    return asked
  }
}

const lastResult = (result: pg.QueryResult | pg.QueryResult[]): pg.QueryResult => (Array.isArray(result) ? (result.at(-1) as pg.QueryResult) : result)
