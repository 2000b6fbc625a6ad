import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { nextTurn } from '../../lib/next-turn.ts'
import type { Connection, Value } from '../connection.ts'
import type { Pool } from '../pool.ts'
import { sqlite } from './dialect.ts'
import { keepPrivate } from './file-mode.ts'

/** Statements are kept prepared; filters make new texts without end, so the oldest are let go. */
const statementsMax = 400

/** Rows that are written before others get a turn: some five milliseconds. */
const rowsPerTurn = 500

interface Prepared {
  readonly statement: StatementSync
  /** Makes an object of a row's values; undefined for a statement that returns none. */
  readonly toRow: ((values: unknown[]) => unknown) | undefined
}

/**
 * Two connections to one file: the lane's, which is the only writer, and one for reads, which sees committed data only.
 * `sqlite::memory:` is a file in a temporary folder that goes with the pool, as SQLite's own memory databases cannot be
 * read while they are written.
 */
export function openSqlite(url: string): Pool {
  const path = url.slice('sqlite:'.length)
  const temporary = path === ':memory:' ? mkdtempSync(join(tmpdir(), 'millrace-')) : undefined
  const file = temporary ? join(temporary, 'millrace.db') : resolve(path.replace(/^~(?=\/)/, homedir()))
  if (!temporary) mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  keepPrivate(file)

  const writer = open(file)
  // Before anything is written, or it has no effect: what retention frees can be given back later, see `freeDisk` of the dialect.
  writer.exec('pragma auto_vacuum = incremental')
  writer.exec('pragma journal_mode = wal')
  // What was answered must survive the loss of power; a temporary database survives nothing anyway.
  writer.exec(`pragma synchronous = ${temporary ? 'off' : 'full'}`)
  // Checkpoints stop the writer for as long as they copy, so not too many pages; but a page that is changed often is then copied once (ADR 0002).
  writer.exec('pragma wal_autocheckpoint = 8000')
  const reader = open(file)
  reader.exec('pragma query_only = on')
  // As much as SQLite allows: 20,000 runs here and there in a file of 2.4 GB are read in 40 ms instead of 100 ms. It takes addresses, not memory.
  reader.exec('pragma mmap_size = 2147418112')

  return {
    dialect: sqlite,
    reads: connectionOf(reader),
    writersMax: 1,
    async withWriter(use) {
      return use(connectionOf(writer))
    },
    async commit(connection) {
      await connection.run('commit', [])
    },
    async close() {
      reader.close()
      writer.exec('pragma optimize')
      writer.close()
      if (temporary) rmSync(temporary, { recursive: true, force: true })
    },
  }
}

const connections = new WeakMap<DatabaseSync, Connection>()

function connectionOf(database: DatabaseSync): Connection {
  const known = connections.get(database) ?? connection(database)
  connections.set(database, known)
  return known
}

function open(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: 5000 })
  database.exec('pragma cache_size = -65536')
  database.exec('pragma mmap_size = 268435456')
  database.exec('pragma temp_store = memory')
  return database
}

function connection(database: DatabaseSync): Connection {
  const statements = new Map<string, Prepared>()

  function prepare(text: string): Prepared {
    const known = statements.get(text)
    if (known) return known
    const statement = database.prepare(text.replaceAll(/\$(\d+)/g, '?$1'))
    const names = statement.columns().map(({ name }) => name)
    const prepared = { statement, toRow: names.length > 0 ? rowMaker(names) : undefined }
    if (prepared.toRow) statement.setReturnArrays(true)
    if (statements.size >= statementsMax) statements.delete(statements.keys().next().value as string)
    statements.set(text, prepared)
    return prepared
  }

  return {
    async all<R>(text: string, values: readonly Value[]) {
      const { statement, toRow } = prepare(text)
      // Also where no rows come of it: `run` would leave an incremental vacuum after its first page.
      const rows = statement.all(...bound(values)) as unknown as unknown[][]
      return toRow ? (rows.map(toRow) as R[]) : []
    },
    async run(text, values) {
      return Number(prepare(text).statement.run(...bound(values)).changes)
    },
    async runEach(text, rows) {
      const { statement } = prepare(text)
      let changed = 0
      let done = 0
      for (const values of rows) {
        changed += Number(statement.run(...bound(values)).changes)
        done += 1
        // The lane alone writes, so that nobody else can come into its transaction meanwhile.
        if (done % rowsPerTurn === 0) await nextTurn()
      }
      return changed
    },
    async script(text) {
      database.exec(text)
    },
  }
}

/**
 * Objects as a literal would make them: `node:sqlite` makes its own without a prototype and one property at a time, which is slow to make and
 * slow to read. A page of 200 runs: 2.5 ms instead of 5.0 ms with the answers made of it. The names come from our own statements.
 */
function rowMaker(names: readonly string[]): (values: unknown[]) => unknown {
  const fields = names.map((name, index) => `${JSON.stringify(name)}: values[${index}]`)
  return new Function('values', `return { ${fields.join(', ')} }`) as (values: unknown[]) => unknown
}

/** `node:sqlite` binds no booleans, and takes a missing value for null without a word. */
function bound(values: readonly Value[]): SQLInputValue[] {
  return values.map((value) => {
    if (typeof value === 'boolean') return value ? 1 : 0
    if (value === undefined || Array.isArray(value)) throw new TypeError(`cannot bind ${JSON.stringify(value)}`)
    return value as SQLInputValue
  })
}
