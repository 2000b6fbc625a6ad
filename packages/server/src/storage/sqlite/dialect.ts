import { sql } from 'kysely'
import type { Connection, SqlValue } from '../connection.ts'
import type { Dialect, JsonPath } from '../dialect.ts'
import type { ColumnKind, TableName } from '../tables.ts'
import { appendEvents } from './append-events.ts'

const types: Record<ColumnKind, string> = {
  uuid: 'TEXT',
  text: 'TEXT',
  int: 'INTEGER',
  real: 'REAL',
  bool: 'INTEGER',
  json: 'TEXT',
  tags: 'TEXT',
  bytes: 'BLOB',
}

const list = (values: readonly (string | number)[]): SqlValue => JSON.stringify(values)

export const sqlite: Dialect = {
  name: 'sqlite',
  list,
  inList: (column, value) => `${column} in (select value from json_each(${value}))`,
  // One value is worth a text of its own: only then does an index that begins with the column give the order too.
  isIn: (column, values) =>
    values.length === 1 ? sql<boolean>`${column} = ${values[0]}` : sql<boolean>`${column} in (select value from json_each(${list(values)}))`,
  // Counted: to look each wanted value up in the column would read the column's text as many times.
  containsAll: (column, values) => {
    const wanted = [...new Set(values)]
    return sql<boolean>`(select count(distinct held.value) from json_each(${column}) held where held.value in (select value from json_each(${list(wanted)}))) = ${wanted.length}`
  },
  containsAny: (column, values) =>
    sql<boolean>`exists (select 1 from json_each(${column}) held where held.value in (select value from json_each(${list(values)})))`,
  isPairIn: ([first, second], pairs) =>
    sql<boolean>`(${first}, ${second}) in (select value ->> 0, value ->> 1 from json_each(${JSON.stringify(pairs)}))`,
  isEmptyList: (column) => sql<boolean>`${column} = '[]'`,
  // SQLite's like folds ASCII only; that is what the reference does on SQLite too.
  isLike: (column, pattern) => sql<boolean>`${column} like ${pattern}`,
  isLikeAny: (column, patterns) => sql<boolean>`exists (select 1 from json_each(${list(patterns)}) pattern where ${column} like pattern.value)`,
  // Known from the row's header: the text itself is not read.
  bytesOf: (column) => `octet_length(${column})`,
  jsonText: (column, key) => `${column} ->> '$."${key}"'`,
  indexHint: (name) => sql`indexed by ${sql.ref(name)}`,
  isJsonType: (column, path, kind) => sql<boolean>`json_type(${column}, ${pathText(path)}) is ${kind}`,
  // The type too: 1 is not "1", and true is not 1. Both sides become values of SQL in the same way, so that 1.0 is 1.
  equalsJson: (column, path, json) =>
    sql<boolean>`(replace(json_type(${column}, ${pathText(path)}), 'real', 'integer') = replace(json_type(${json}), 'real', 'integer')
      and json_extract(${column}, ${pathText(path)}) is json_extract(${json}, '$'))`,
  // One writer at a time already.
  forUpdate: '',
  usesSavepoints: true,
  skipLocked: '',
  partitions: null,
  // Each on its own is a step; asked for together they read the whole table.
  tableStats: (table) => `select coalesce((select max(rowid) from ${table}) - (select min(rowid) from ${table}) + 1, 0) as rows, null as bytes`,
  readOnlyQuery: 'select 0 as read_only',
  databaseBytes: 'select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()',
  incrementalVacuum: {
    facts: `select f.freelist_count as free, p.page_count as pages, s.page_size as size
      from pragma_freelist_count() f, pragma_page_count() p, pragma_page_size() s`,
    // A megabyte: some ten milliseconds.
    step: 'pragma incremental_vacuum(256)',
  },
  clockQuery: null,
  isShared: false,
  appendEvents,

  // A prepared statement for one row, run again for each: no round trip to save, and twice as fast as unpacking a JSON list.
  async insertMany(connection: Connection, table: TableName, rows, onConflict) {
    const names = Object.keys(rows[0] as object)
    const text = `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')}) ${onConflict}`
    return connection.runEach(
      text,
      rows.map((row) => valuesOf(row, names)),
    )
  },
  async updateMany(connection: Connection, table: TableName, rows, key) {
    const names = Object.keys(rows[0] as object).filter((name) => name !== key)
    const text = `update ${table} set ${names.map((name) => `${name} = ?`).join(', ')} where ${key} = ?`
    const bound = [...names, key]
    return connection.runEach(
      text,
      rows.map((row) => valuesOf(row, bound)),
    )
  },

  columnType: (kind) => types[kind],
  isUniqueViolation: (error) => /UNIQUE constraint failed/.test(messageOf(error)),
  isForeignKeyViolation: (error) => /FOREIGN KEY constraint failed/.test(messageOf(error)),
  isKeyTooLong: () => false,
  isTransient: () => false,
  isTimeout: () => false,
  // Nothing is between this process and the file: a commit that throws has not happened, and is rolled back as any other error.
  provesRollback: () => true,
  unavailability: (error) => (isUnavailableError(error) ? 'refusing' : undefined),
  isUnavailable: (error) => isUnavailableError(error),
}

const pathText = (path: JsonPath): string => `$${path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${JSON.stringify(step)}`)).join('')}`

const valuesOf = (row: object, names: readonly string[]): SqlValue[] => names.map((name) => (row as Record<string, SqlValue>)[name] as SqlValue)

const isUnavailableError = (error: unknown): boolean =>
  /database or disk is full|disk I\/O error|readonly database|unable to open database/.test(messageOf(error))

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '')
