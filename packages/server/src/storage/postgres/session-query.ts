import pg from 'pg'
import type { SqlValue } from '../connection.ts'

/** The name of the prepared `begin` of every session. */
export const beginName = 'begin'

/** Methods of `pg.Query` that its types omit. */
interface WireQuery {
  prepare(connection: pg.Connection): void
  _getRows(connection: pg.Connection, rows: number | undefined): void
  handleCommandComplete(message: unknown, connection: pg.Connection): void
}
const wire = pg.Query.prototype as unknown as WireQuery

interface Options {
  readonly text: string
  readonly name: string | undefined
  readonly values: readonly SqlValue[]
  /** Begins a transaction first, in the same message. If that fails, the statement is skipped. */
  readonly begin: boolean
  /** Only binds the statement to a portal of this name. `fetch all from NAME` runs it later in the transaction. */
  readonly portal: string | undefined
}

/** A statement by the extended protocol with two features that the driver lacks: `begin` in the same message, and portals. */
export class SessionQuery extends pg.Query {
  readonly #begin: boolean
  readonly #onlyBind: boolean
  #skip: number

  constructor({ text, name, values, begin, portal }: Options, callback: (error: Error | undefined, result: pg.QueryResult) => void) {
    super({ text, name, values: values as unknown[], portal, queryMode: 'extended' } as pg.QueryConfig, callback as never)
    this.#begin = begin
    this.#onlyBind = portal !== undefined
    this.#skip = begin ? 1 : 0
  }

  prepare(connection: pg.Connection): void {
    if (this.#begin) {
      connection.bind({ statement: beginName }, true)
      connection.execute({}, true)
    }
    wire.prepare.call(this, connection)
  }

  _getRows(connection: pg.Connection, rows: number | undefined): void {
    if (this.#onlyBind) connection.sync()
    else wire._getRows.call(this, connection, rows)
  }

  handleCommandComplete(message: unknown, connection: pg.Connection): void {
    if (this.#skip > 0) this.#skip -= 1
    else wire.handleCommandComplete.call(this, message, connection)
  }
}
