import { sql } from 'kysely'
import type { Connection, SqlValue } from '../connection.ts'
import type { Dialect, JsonPath, StoredRows } from '../dialect.ts'
import type { ColumnKind, TableName } from '../tables.ts'
import { appendEvents } from './append-events.ts'
import { FlushError } from './wal-sync.ts'

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
  // A single value gets its own text, because only an equality lets an index on the column provide the order too.
  isIn: (column, values) =>
    values.length === 1 ? sql<boolean>`${column} = ${values[0]}` : sql<boolean>`${column} in (select value from json_each(${list(values)}))`,
  idRows: (ids) => sql`(select value as id from json_each(${list(ids)}))`,
  // Counts the matches, because a lookup per wanted value would parse the column once per value.
  containsAll: (column, values) => {
    const wanted = [...new Set(values)]
    return sql<boolean>`(select count(distinct held.value) from json_each(${column}) held where held.value in (select value from json_each(${list(wanted)}))) = ${wanted.length}`
  },
  containsAny: (column, values) =>
    sql<boolean>`exists (select 1 from json_each(${column}) held where held.value in (select value from json_each(${list(values)})))`,
  isPairIn: ([first, second], pairs) =>
    sql<boolean>`(${first}, ${second}) in (select value ->> 0, value ->> 1 from json_each(${JSON.stringify(pairs)}))`,
  indexesTags: false,
  isEmptyList: (column) => sql<boolean>`${column} = '[]'`,
  // SQLite's `like` folds ASCII only, as the reference does on SQLite.
  isLike: (column, pattern) => sql<boolean>`${column} like ${pattern}`,
  isLikeAny: (column, patterns) => sql<boolean>`exists (select 1 from json_each(${list(patterns)}) pattern where ${column} like pattern.value)`,
  // Taken from the row header: the text itself is not read.
  isLargerThan: (column, bytes) => `octet_length(${column}) > ${bytes}`,
  rowVersion: () => null,
  allColumns: '*',
  versionHash: () => null,
  // The plain conversion has 15 digits.
  doubleText: (value) => sql<string>`format('%!.17g', ${value})`,
  jsonText: (column, key) => `${column} ->> '$."${key}"'`,
  nameIndexQuery: null,
  indexHint: (name) => sql`indexed by ${sql.ref(name)}`,
  likely: (condition) => sql`+(${condition})`,
  isIdBetween: ([id, number], value, low, high) =>
    sql<boolean>`${id} = ${value}${low === undefined ? sql`` : sql` and ${number} >= ${low}`}${high === undefined ? sql`` : sql` and ${number} <= ${high}`}`,
  isPairAfter: ([text, number], value, low) => sql<boolean>`${text} = ${sql.lit(value)} and ${number} > ${low}`,
  isJsonType: (column, path, kind) => sql<boolean>`json_type(${column}, ${pathText(path)}) is ${kind}`,
  // Compares the type too: 1 is not "1", and true is not 1. Both sides are converted to SQL values, so 1.0 equals 1.
  equalsJson: (column, path, json) =>
    sql<boolean>`(replace(json_type(${column}, ${pathText(path)}), 'real', 'integer') = replace(json_type(${json}), 'real', 'integer')
      and json_extract(${column}, ${pathText(path)}) is json_extract(${json}, '$'))`,
  // SQLite has a single writer.
  forUpdate: '',
  usesSavepoints: true,
  skipLocked: '',
  partitions: null,
  // Two subselects are one index step each; min and max in one select read the whole table.
  tableStats: (table) => `select coalesce((select max(rowid) from ${table}) - (select min(rowid) from ${table}) + 1, 0) as rows, null as bytes`,
  tableSizes: `select object.tbl_name as name, sum(page.pgsize) as bytes,
      sum(case when page.name = object.tbl_name and page.pagetype = 'leaf' then page.ncell else 0 end) as rows
    from dbstat page join sqlite_master object on object.name = page.name
    where object.tbl_name not like 'sqlite\\_%' escape '\\'
    group by object.tbl_name order by bytes desc, name`,
  readOnlyQuery: 'select 0 as read_only',
  databaseBytes: 'select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()',
  logMaintenance: null,
  incrementalVacuum: {
    facts: `select f.freelist_count as free, p.page_count as pages, s.page_size as size
      from pragma_freelist_count() f, pragma_page_count() p, pragma_page_size() s`,
    // One megabyte: about ten milliseconds.
    step: 'pragma incremental_vacuum(256)',
  },
  clockQuery: null,
  isShared: false,
  runOnline: (connection, statement) => connection.script(statement),
  withMigrationLock: (_connection, use) => use(),
  limitLockWait: null,
  appendEvents,

  // One prepared statement, run per row: there is no round trip to save, and it is twice as fast as unpacking a JSON list.
  async insertMany(connection: Connection, table: TableName, rows, onConflict) {
    const names = Object.keys(rows[0] as object)
    const text = `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')}) ${onConflict}`
    return connection.runEach(
      text,
      rows.map((row) => valuesOf(row, names)),
    )
  },
  // Because of the triggers a plain update would keep a statement journal, to undo itself alone if it fails. It changes one row and checks the constraints
  // first, and the command that fails is rolled back anyway. Without the journal, which copies each changed page, a flow run takes half the time.
  async updateMany(connection: Connection, table: TableName, rows, key, stored) {
    let changed = 0
    for (const [list, group] of groupByAssigned(rows, key, stored)) {
      const names = list.split(',')
      const text = `update or fail ${table} set ${names.map((name) => `${name} = ?`).join(', ')} where ${key} = ?`
      const bound = [...names, key]
      changed += await connection.runEach(
        text,
        group.map((row) => valuesOf(row, bound)),
      )
    }
    return changed
  },

  columnType: (kind) => types[kind],
  isUniqueViolation: (error) => /UNIQUE constraint failed/.test(messageOf(error)),
  isForeignKeyViolation: (error) => /FOREIGN KEY constraint failed/.test(messageOf(error)),
  isKeyTooLong: () => false,
  isTransient: () => false,
  isTimeout: () => false,
  // No network is involved: a commit that throws did not happen and is rolled back.
  provesRollback: (error) => !(error instanceof FlushError),
  unavailability,
  isUnavailable: (error) => unavailability(error) !== undefined,
}

/**
 * The rows by the columns that are assigned. SQLite rewrites an entry of each index with such a column, and evaluates the triggers of each, even if the value is
 * the same: of a run that completes this would be five of nine indexes.
 */
function groupByAssigned(rows: readonly object[], key: string, stored: StoredRows | undefined): Map<string, object[]> {
  const groups = new Map<string, object[]>()
  const all = Object.keys(rows[0] as object).filter((name) => name !== key)
  if (!stored) return groups.set(all.join(), rows as object[])
  for (const row of rows as readonly Record<string, unknown>[]) {
    const present = stored.get(row[key] as string) as Record<string, unknown> | undefined
    const names = present ? all.filter((name) => row[name] !== present[name]) : all
    // A row without a change is written whole, so that it counts as updated.
    const list = (names.length > 0 ? names : all).join()
    const group = groups.get(list)
    if (group) group.push(row)
    else groups.set(list, [row])
  }
  return groups
}

const pathText = (path: JsonPath): string => `$${path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${JSON.stringify(step)}`)).join('')}`

const valuesOf = (row: object, names: readonly string[]): SqlValue[] => names.map((name) => (row as Record<string, SqlValue>)[name] as SqlValue)

function unavailability(error: unknown): 'lost' | 'refusing' | undefined {
  if (error instanceof FlushError) return 'lost'
  return /database or disk is full|disk I\/O error|readonly database|unable to open database/.test(messageOf(error)) ? 'refusing' : undefined
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '')
