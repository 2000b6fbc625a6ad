import { type RawBuilder, sql } from 'kysely'
import type { Dialect, JsonPath } from '../dialect.ts'
import { columnList, columnNames } from '../tables.ts'
import { appendEvents } from './append-events.ts'
import { columnTypes, insertStatement, updateStatement } from './row-statements.ts'
import { isOutdatedStatement, unavailability } from './unavailability.ts'

const casts = { uuid: 'uuid[]', text: 'text[]', int: 'bigint[]' } as const

// A single value gets its own text, because only an equality lets an index on the column provide the order too.
const isIn = (column: RawBuilder<unknown>, values: readonly (string | number)[], kind: keyof typeof casts) =>
  values.length === 1
    ? sql<boolean>`${column} = ${values[0]}::${sql.raw(casts[kind].slice(0, -2))}`
    : sql<boolean>`${column} = any(${values as never}::${sql.raw(casts[kind])})`

export const postgres: Dialect = {
  name: 'postgres',
  list: (values) => values,
  inList: (column, value, kind) => `${column} = any(${value}::${casts[kind]})`,
  inListOr: (column, value, kind, query) => `${column} = any(array(select unnest(${value}::${casts[kind]}) union ${query}))`,
  isIn,
  // The planner keeps a subquery with an offset apart, and so cannot choose to read the table once for all keys.
  selectByKeys(table, columns, condition = 'true', selected = columnNames(table)) {
    const names = Object.keys(columns)
    const lists = Object.values(columns).map((kind, index) => `$${index + 1}::${casts[kind]}`)
    return `select ${selected.map((name) => `${table}.${name}`).join(', ')} from unnest(${lists.join(', ')}) as wanted(${names.join(', ')})
      cross join lateral (select ${columnList(table)} from ${table} where ${names.map((name) => `${name} = wanted.${name}`).join(' and ')} and ${condition} offset 0) ${table}`
  },
  bindKeys: (keys) => (keys[0] ?? []).map((_, column) => keys.map((key) => key[column] as string)),
  idRows: (ids) => sql`(select unnest(${ids as never}::uuid[]) as id)`,
  containsAll: (column, values) => sql<boolean>`${column} @> ${JSON.stringify(values)}::jsonb`,
  containsAny: (column, values) => sql<boolean>`${column} ?| ${values as never}::text[]`,
  indexesTags: true,
  isEmptyList: (column) => sql<boolean>`${column} = '[]'::jsonb`,
  // The "C" collation folds ASCII only and takes less than half the time. That is enough for an ASCII pattern.
  isLike(column, pattern) {
    if (!isAscii(pattern)) return sql<boolean>`${column} collate "default" ilike ${pattern}`
    const words = wordsOf(pattern)
    if (words.length === 0) return sql<boolean>`${column} collate "C" ilike ${pattern}`
    // "POSIX" compares as "C" does, but is no collation of an index. So the index only finds the words, and the planner still estimates the whole pattern.
    const conditions = [...words.map((word) => sql`${column} collate "C" ilike ${`%${word}%`}`), sql`${column} collate "POSIX" ilike ${pattern}`]
    return sql<boolean>`(${sql.join(conditions, sql` and `)})`
  },
  isLikeAny: (column, patterns) =>
    sql<boolean>`${column} collate ${sql.raw(patterns.every(isAscii) ? '"C"' : '"default"')} ilike any(${patterns as never}::text[])`,
  // The stored size is known without reading the value. Compression makes a value smaller by a factor of at most 91 (pglz) or 255 (lz4).
  isLargerThan: (column, bytes) => `(pg_column_size(${column}) > ${Math.floor(bytes / 91)} and octet_length(${column}::text) > ${bytes})`,
  // The id of the transaction that wrote this version of the row.
  rowVersion: (table) => `${table}.xmin::text`,
  allColumns: '*, xmin',
  versionHash: (table) => `sum(uuid_hash_extended(${table}.id, ${table}.xmin::text::bigint))`,
  doubleText: (value) => sql<string>`cast(${value} as text)`,
  jsonText: (column, key) => `${column} ->> '${key}'`,
  nameIndexQuery: `select 1 as one from pg_index where indexrelid = to_regclass('flow_run_name_trigrams') and indisvalid`,
  indexHint: () => sql``,
  // The planner has no statistics of this number. It assumes 200 values, all but one of which differ from zero.
  likely: (condition) => sql`(${condition})::integer <> 0`,
  // For `=` and an id without statistics it expects one row, and sorts all rows of that id. It takes an unknown range of pairs for a ninth of the table, and no
  // other index has this order or finds these rows.
  isIdBetween: ([id, number], value, low = Number.MIN_SAFE_INTEGER, high = Number.MAX_SAFE_INTEGER) =>
    sql<boolean>`(${id}, ${number}) >= ((select ${value}::uuid), ${low}::bigint) and (${id}, ${number}) <= ((select ${value}::uuid), ${high}::bigint) and ${id} is not null`,
  // With `=` it would drop the first column from the order, and read another index in the order of the second.
  isPairAfter: ([text, number], value, low) =>
    sql<boolean>`(${text}, ${number}) > (${sql.lit(value)}, ${low}::bigint) and ${text} <= ${sql.lit(value)}`,
  isJsonType: (column, path, kind) => sql<boolean>`jsonb_typeof(${jsonAt(column, path)}) is not distinct from ${kind}::text`,
  equalsJson: (column, path, json) => (json.includes(nul) ? sql<boolean>`1 = 0` : sql<boolean>`${jsonAt(column, path)} = ${json}::jsonb`),
  forUpdate: 'for update',
  forChange: 'for no key update',
  exceptHeld: 'skip locked',
  skipLocked: 'for update skip locked',
  partitions: {
    add: 'select millrace_add_partition($1::text, $2::bigint, $3::bigint) as added',
    drop: 'select low, rows from millrace_drop_partition($1::text, $2::bigint, $3::bigint, $4::bigint)',
    defaultPartition: (table) => `${table}_default`,
  },
  tableStats: (table) =>
    `select coalesce(sum(greatest(reltuples, 0)), 0)::bigint as rows, coalesce(sum(pg_total_relation_size(oid)), 0)::bigint as bytes
      from pg_class where oid = '${table}'::regclass or oid in (select relid from pg_partition_tree('${table}'))`,
  tableSizes: `select parent.relname as name, coalesce(sum(pg_total_relation_size(part.oid)), 0)::bigint as bytes,
      coalesce(sum(greatest(part.reltuples, 0)) filter (where part.relkind = 'r'), 0)::bigint as rows
    from pg_class parent
    cross join lateral (select parent.oid as oid union select relid from pg_partition_tree(parent.oid)) tree
    join pg_class part on part.oid = tree.oid
    where parent.relnamespace = current_schema()::regnamespace and parent.relkind in ('r', 'p') and not parent.relispartition
    group by parent.relname order by bytes desc, name`,
  readOnlyQuery: `select case when current_setting('transaction_read_only') = 'on' then 1 else 0 end as read_only`,
  databaseBytes: 'select pg_database_size(current_database()) as bytes',
  logMaintenance: {
    vacuum: 'vacuum (skip_locked) event',
    hasPartitions: `select 1 as one from pg_inherits where inhparent = 'event'::regclass limit 1`,
    dropEmptyPartitions: 'select millrace_drop_empty_log_partitions() as remaining',
  },
  incrementalVacuum: null,
  // Not now(), which is the start of the transaction.
  clockQuery: 'select (extract(epoch from clock_timestamp()) * 1000000)::bigint as time',
  isShared: true,
  limitLockWait: `set local lock_timeout = '900ms'`,
  skipLockWait: `set local lock_timeout = '5ms'`,
  appendEvents,

  async insertRows(connection, insert) {
    const { text, values } = insertStatement(insert)
    return connection.run(text, values)
  },
  async updateRows(connection, update) {
    const { text, values } = updateStatement(update)
    return connection.run(text, values)
  },
  async write(connection, writes) {
    for (const write of writes) {
      if ('run' in write) await connection.runLater(write.run, write.values)
      else {
        const { text, values } = 'insert' in write ? insertStatement(write) : updateStatement(write)
        await connection.runLater(text, values, { inserts: 'insert' in write && !write.onConflict })
      }
    }
  },
  derivesByTriggers: false,

  columnType: (kind) => columnTypes[kind],
  isUniqueViolation: (error) => sqlState(error) === '23505',
  isForeignKeyViolation: (error) => sqlState(error) === '23503',
  isKeyTooLong: (error) => sqlState(error) === '54000',
  isHeld: (error) => sqlState(error) === '55P03',
  isTransient: (error) => ['40001', '40P01', '55P03'].includes(sqlState(error)),
  isOutdatedStatement,
  isTimeout: (error) => ['55P03', '57014'].includes(sqlState(error)),
  unavailability,
  // idle_in_transaction_session_timeout: the database ended the session before the commit arrived.
  provesRollback: (error) => error instanceof Error && 'code' in error && error.code === '25P03',
  isUnavailable: (error) => unavailability(error) !== undefined,
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

/** More only make a search slower. */
const wordsMax = 8

/**
 * The words of a pattern that has several, if an index of trigrams finds each of them; otherwise none. For the whole pattern the index also compares the
 * trigrams at both ends of a word. Those of a beginning are the longest lists, such as that of all names with a word in "b". Without them a rare name among
 * a million is found in a fifth of the time.
 */
function wordsOf(pattern: string): string[] {
  const words = pattern.split(/[^a-z\d]+/i).filter((word) => word !== '')
  return words.length >= 2 && words.length <= wordsMax && words.every((word) => word.length >= 3) ? words : []
}

/** Valid in JSON and invalid in jsonb: a value with this character matches no filter. */
const nul = '\\u0000'

const jsonAt = (column: RawBuilder<unknown>, path: JsonPath) =>
  sql`(case when position(${nul} in ${column}::text) = 0 then ${column}::jsonb end #> ${path.map(String) as never}::text[])`

/** An error of the error catalogue has the database error as its cause. */
const sqlState = (error: unknown): string => {
  const { code, cause, status } = (error ?? {}) as { code?: unknown; cause?: unknown; status?: unknown }
  return status !== undefined && cause !== undefined ? sqlState(cause) : String(code ?? '')
}
