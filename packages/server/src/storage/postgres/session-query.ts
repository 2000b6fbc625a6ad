import pg from 'pg'
import type { ReadOptions, SqlValue } from '../connection.ts'
import { compileParsedRowFactory } from '../row-factory.ts'

/** The name of the prepared `begin` of every session. */
export const beginName = 'begin'

/**
 * Transactions lock rows and then read what others have committed. A database or a role may have another isolation level by default, with which they
 * would read an old snapshot, or fail.
 */
export const beginStatement = 'begin isolation level read committed'

/** A statement with its values. A session prepares it once, unless it is planned each time. */
export interface BoundStatement extends ReadOptions {
  readonly text: string
  readonly values: readonly SqlValue[]
  /** The name under which the session prepares it (default: one for its text). */
  readonly name?: string
  /** Only binds the statement to a portal of this name, which a later step or message of the transaction runs. */
  readonly portal?: string
}

/** Runs a statement that is bound to a portal. */
interface PortalRun {
  readonly run: string
}

export type Step = BoundStatement | PortalRun

type RowFactory = (values: readonly (string | null)[]) => unknown

/** A prepared statement of one session. */
interface Prepared {
  /** Whether the database has it. A failed message leaves that open. */
  exists: boolean | undefined
  /** Builds a row from the text of its columns. Null: it returns no rows. Undefined until the first result. */
  toRow: RowFactory | null | undefined
}

/** The prepared statements of one session, by name. */
export type PreparedStatements = Map<string, Prepared>

type Settle = (error: Error | undefined | null, result: pg.QueryResult) => void

interface Options {
  readonly steps: readonly Step[]
  /** Whether statements are prepared by name. */
  readonly usesNames: boolean
  /** Begins a transaction first. If that fails, the steps are skipped. */
  readonly begin: boolean
  readonly prepared: PreparedStatements
}

/** The members of `pg.Query` that a subclass uses. The types of the driver omit most of them. */
interface DriverQuery {
  readonly _result: { readonly rows: unknown[]; addCommandComplete(message: unknown): void }
  submit(connection: pg.Connection): Error | null
  handleRowDescription(message: unknown): void
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, connection: pg.Connection): void
  handleError(error: unknown, connection: pg.Connection): void
}
const DriverQuery = pg.Query as unknown as new (text: string, values: undefined, settle: Settle) => DriverQuery

const int8 = 20

/** json, jsonb, text, varchar, uuid: returned as sent, so that JSON is not altered. */
const textTypes = new Set([114, 3802, 25, 1043, 2950])

/** Undefined for text. Times are 64-bit microseconds, which fit a number. */
function parserOf(type: number): ((text: string) => unknown) | undefined {
  if (textTypes.has(type)) return undefined
  return type === int8 ? Number : (pg.types.getTypeParser(type, 'text') as (text: string) => unknown)
}

/**
 * Several statements as one message of the extended protocol, with features that the driver lacks: `begin` in the same message, portals, and prepared
 * statements whose columns are described once per session. The database answers all statements at once, and skips those after one that fails. The result
 * is that of the last one.
 */
export class SessionQuery extends DriverQuery {
  readonly #options: Options
  #toRow: RowFactory | null | undefined
  /** Statements that this message prepares. */
  #preparing: Prepared[] = []
  #commandsLeft: number

  constructor(options: Options, settle: Settle) {
    super('', undefined, settle)
    this.#options = options
    this.#commandsLeft = options.steps.filter((step) => !('portal' in step)).length + (options.begin ? 1 : 0)
  }

  override submit(connection: pg.Connection): null {
    const { steps, begin } = this.#options
    connection.stream.cork()
    try {
      if (begin) {
        connection.bind({ statement: beginName }, true)
        connection.execute({}, true)
      }
      const last = steps.at(-1)
      for (const step of steps) {
        if ('run' in step) connection.execute({ portal: step.run }, true)
        else this.#submit(connection, step, step === last)
      }
      connection.sync()
    } finally {
      connection.stream.uncork()
    }
    return null
  }

  #submit(connection: pg.Connection, statement: BoundStatement, isLast: boolean): void {
    const { text, values, portal } = statement
    const name = this.#nameOf(statement)
    const prepared = name === undefined ? undefined : this.#prepare(connection, text, name)
    if (name === undefined) connection.parse({ text, name: '', types: [] }, true)
    connection.bind({ portal, statement: name, values: values as unknown[], valueMapper: toParameter } as never, true)
    if (isLast && portal === undefined) {
      this.#toRow = prepared?.toRow
      if (this.#toRow === undefined) connection.describe({ type: 'P', name: '' }, true)
    }
    if (portal === undefined) connection.execute({}, true)
  }

  /** Undefined for a statement that is not prepared by name. */
  #nameOf({ text, name, replans }: BoundStatement): string | undefined {
    return this.#options.usesNames && !replans ? (name ?? preparedName(text)) : undefined
  }

  #prepare(connection: pg.Connection, text: string, name: string): Prepared {
    const { prepared: statements } = this.#options
    let prepared = statements.get(name)
    if (prepared?.exists) return prepared
    if (prepared) connection.close({ type: 'S', name }, true)
    connection.parse({ text, name, types: [] }, true)
    prepared = { exists: true, toRow: undefined }
    statements.set(name, prepared)
    this.#preparing.push(prepared)
    return prepared
  }

  override handleRowDescription({ fields }: { fields: readonly pg.FieldDef[] }): void {
    this.#describe(
      compileParsedRowFactory(
        fields.map(({ name }) => name),
        fields.map(({ dataTypeID }) => parserOf(dataTypeID)),
      ),
    )
  }

  override handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    // Rows of other statements than the last are not used.
    if (this.#commandsLeft === 1) this._result.rows.push(this.#toRow?.(fields))
  }

  override handleCommandComplete(message: unknown): void {
    this.#commandsLeft -= 1
    if (this.#commandsLeft > 0) return
    if (this.#toRow === undefined) this.#describe(null)
    this._result.addCommandComplete(message)
  }

  override handleError(error: unknown, connection: pg.Connection): void {
    for (const prepared of this.#preparing) prepared.exists = undefined
    super.handleError(error, connection)
  }

  #describe(toRow: RowFactory | null): void {
    this.#toRow = toRow
    const last = this.#options.steps.at(-1)
    const name = last && 'text' in last ? this.#nameOf(last) : undefined
    const prepared = name === undefined ? undefined : this.#options.prepared.get(name)
    if (prepared) prepared.toRow = toRow
  }
}

const names = new Map<string, string>()
const namesMax = 500

/** A name for each of the first few hundred texts. Later ones are filters that rarely repeat: they stay unnamed, which bounds the memory of the database. */
function preparedName(text: string): string | undefined {
  const existing = names.get(text)
  if (existing || names.size >= namesMax) return existing
  const name = `m${names.size}`
  names.set(text, name)
  return name
}

/** Numbers and booleans are sent as text, bytes as they are. */
function toParameter(value: SqlValue): string | Buffer | null {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return null
  if (value instanceof Uint8Array) return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (Array.isArray(value)) return arrayLiteral(value)
  return String(value)
}

/** A list of `dialect.list`, as text. */
function arrayLiteral(values: readonly (string | number | boolean | null)[]): string {
  const elements = values.map((value) => {
    if (value === null) return 'NULL'
    if (typeof value !== 'string') return String(value)
    return `"${value.replaceAll(/["\\]/g, '\\$&')}"`
  })
  return `{${elements.join(',')}}`
}
