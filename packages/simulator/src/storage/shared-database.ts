import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Connection } from '@millrace/server/storage/connection.ts'
import { migrate } from '@millrace/server/storage/migrate.ts'
import type { Pool } from '@millrace/server/storage/pool.ts'
import { createConnection, createWriteConnection } from '@millrace/server/storage/sqlite/connection.ts'
import { sqlite } from '@millrace/server/storage/sqlite/dialect.ts'

/**
 * The tables of all servers. They are created once per process and emptied for each seed, because statements stay prepared. Two connections, so that reads
 * see committed data while a transaction is open.
 */
export interface SharedDatabase {
  readonly writer: Connection
  readonly reader: Connection
  /** Committed rows, outside of the simulation. */
  rows<R>(sql: string, ...values: (string | number | null)[]): R[]
  reset(): void
}

export async function openSharedDatabase(): Promise<SharedDatabase> {
  const memory = '/dev/shm'
  const folder = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'millrace-sim-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'simulation.db')
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true })
  database.exec('pragma journal_mode = wal; pragma synchronous = off; pragma temp_store = memory')
  const connection = createConnection(database)
  const writer = createWriteConnection(connection, async () => undefined)
  const pool: Pool = {
    dialect: sqlite,
    reads: connection,
    writersMax: 1,
    withWriter: (use) => use(writer),
    withMaintenance: (use) => use(writer),
    explainStartError: () => undefined,
    warnings: [],
    close: async () => database.close(),
  }
  await migrate(pool, { now: () => 0 })
  // In the order of their creation: a deleted run changes counts, which are emptied later. Without the tables inside of virtual ones, which only SQLite may change.
  const names = database
    .prepare(
      `select name from sqlite_master where type = 'table' and name not like 'sqlite_%'
        and name not in (select name from pragma_table_list where type = 'shadow') order by rowid`,
    )
    .all() as { name: string }[]
  const tables = names.map(({ name }) => ({
    name,
    isEmpty: database.prepare(`select not exists (select 1 from ${name}) as empty`),
    remove: database.prepare(`delete from ${name}`),
  }))
  const initial = tables.flatMap(({ name }) =>
    (database.prepare(`select * from ${name}`).all() as Record<string, never>[]).map((row) => ({ name, row })),
  )
  const reading = new DatabaseSync(file)
  reading.exec('pragma query_only = on; pragma temp_store = memory')
  const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  return {
    writer: connection,
    reader: createConnection(reading),
    rows<R>(sql: string, ...values: (string | number | null)[]) {
      const statement = statements.get(sql) ?? reading.prepare(sql)
      statements.set(sql, statement)
      return statement.all(...values) as R[]
    },
    reset() {
      if (database.isTransaction) database.exec('rollback')
      database.exec('pragma foreign_keys = off; begin')
      for (const { isEmpty, remove } of tables) if ((isEmpty.get() as { empty: number }).empty === 0) remove.run()
      database.exec('delete from sqlite_sequence')
      for (const { name, row } of initial) {
        const names = Object.keys(row)
        database
          .prepare(`insert into ${name} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`)
          .run(...names.map((key) => row[key] as never))
      }
      database.exec('commit; pragma foreign_keys = on')
    },
  }
}
