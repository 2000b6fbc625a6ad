import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  replaceWithNoncontingentExpression,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Connection, ReadOptions, SqlValue } from './connection.ts'
import type { Dialect } from './dialect.ts'
import type { Database } from './tables.ts'

/** Kysely on an existing connection. It only builds SQL; the write queue owns transactions. */
export function createKysely(connection: Connection, dialect: Dialect, options?: ReadOptions): Kysely<Database> {
  const sqlite = dialect.name === 'sqlite'
  return new Kysely<Database>({
    plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
    dialect: {
      createAdapter: () => (sqlite ? new SqliteAdapter() : new PostgresAdapter()),
      createDriver: () => new ConnectionDriver(connection, options),
      createIntrospector: (db) => (sqlite ? new SqliteIntrospector(db) : new PostgresIntrospector(db)),
      createQueryCompiler: () => (sqlite ? new SqliteQueryCompiler() : new PostgresQueryCompiler()),
    },
  })
}

class ConnectionDriver implements Driver {
  readonly #connection: DatabaseConnection

  constructor(connection: Connection, options: ReadOptions | undefined) {
    this.#connection = {
      async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
        const values = parameters as readonly SqlValue[]
        if (query.kind === 'SelectQueryNode' || query.kind === 'RawNode' || ('returning' in query && query.returning))
          return { rows: await connection.all<R>(sql, values, options) }
        return { rows: [], numAffectedRows: BigInt(await connection.run(sql, values)) }
      },
      streamQuery() {
        throw new Error('Streaming queries are not supported')
      },
    }
  }

  async acquireConnection() {
    return this.#connection
  }
  async init() {}
  async releaseConnection() {}
  async destroy() {}
  beginTransaction = rejectTransaction
  commitTransaction = rejectTransaction
  rollbackTransaction = rejectTransaction
}

async function rejectTransaction(): Promise<never> {
  throw new Error('Use the write queue for transactions')
}
