import pg from 'pg'
import type { SqlValue } from '../connection.ts'

/** The name of the prepared `begin` of every session. */
export const beginName = 'begin'

/** What `pg.Query` has and its types leave out. */
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
  /** Begins a transaction first, in the same message: the statement is skipped when that fails. */
  readonly begin: boolean
  /** Binds the statement to a portal of this name and does not run it: `fetch all from NAME` does, later in the transaction. */
  readonly portal: string | undefined
}

/** A statement by the extended protocol, with what the driver cannot do: `begin` rides along, or only a portal is made. */
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
