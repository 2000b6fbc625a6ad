import { MICROS_PER_SECOND } from '../lib/time.ts'
import type { Connection, WriteConnection } from './connection.ts'
import { migrationsOf } from './migrate.ts'
import { splitSteps, statementsOf } from './migration-steps.ts'

/** A part of the schema that a migration made, other than an index. */
export interface SchemaObject {
  readonly kind: 'column' | 'constraint' | 'trigger' | 'function' | 'partition'
  /** Empty for a function. */
  readonly table: string
  readonly name: string
  /** The text is the same in every database that has the same migrations. */
  readonly definition: string
  /** Statement that makes it again; null where only a backup helps. */
  readonly create: string | null
  readonly is_enabled: boolean | number
}

/** SQLite keeps the text of tables and triggers. Checks and unique constraints are part of the text of a table, which `alter table` changes, so only foreign keys are compared. */
const sqliteObjects = `select 'column' as kind, tables.name as "table", info.name as name, info.type || iif(info."notnull", ' not null', '') as definition, null as "create", 1 as is_enabled
    from sqlite_master tables join pragma_table_xinfo(tables.name) info where tables.type = 'table' and tables.name not like 'sqlite_%' and tables.sql not like 'create virtual%'
  union all select 'constraint', tables.name, key."from", 'foreign key to ' || key."table" || ' on delete ' || key.on_delete, null, 1
    from sqlite_master tables join pragma_foreign_key_list(tables.name) key where tables.type = 'table'
  union all select 'trigger', tbl_name, name, sql, sql, 1 from sqlite_master where type = 'trigger'`

/** The functions for definitions leave out the schema of names that the search path finds. Names of NOT NULL constraints (n) differ by version. */
const postgresObjects = `with tables as (
    select oid, relname::text as name, relispartition from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
      and not exists (select 1 from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e'))
  select 'column' as kind, tables.name as "table", attname::text as name, format_type(atttypid, atttypmod) || case when attnotnull then ' not null' else '' end as definition,
      null as "create", true as is_enabled
    from tables join pg_attribute on attrelid = tables.oid and attnum > 0 and not attisdropped where not relispartition
  union all select 'constraint', tables.name, conname::text, pg_get_constraintdef(pg_constraint.oid, true),
      format('alter table %I add constraint %I %s', tables.name, conname, pg_get_constraintdef(pg_constraint.oid, true)), convalidated
    from tables join pg_constraint on conrelid = tables.oid and contype in ('c', 'f', 'p', 'u') where not relispartition
  union all select 'trigger', tables.name, tgname::text, pg_get_triggerdef(pg_trigger.oid, true), pg_get_triggerdef(pg_trigger.oid, true), tgenabled in ('O', 'A')
    from tables join pg_trigger on tgrelid = tables.oid and not tgisinternal where not relispartition
  union all select 'function', '', proname::text, pg_get_function_identity_arguments(oid) || ' ' || prosrc,
      replace(pg_get_functiondef(oid), format('FUNCTION %I.', current_schema()), 'FUNCTION '), true
    from pg_proc where pronamespace = current_schema()::regnamespace and prokind = 'f'
      and not exists (select 1 from pg_depend where classid = 'pg_proc'::regclass and objid = pg_proc.oid and deptype = 'e')
  union all select 'partition', 'log', tables.name, '', null, relispartition from tables where tables.name ~ '^log_(default|\\d{8})$'`

/** The parts of the schema of a database. */
export const readSchemaObjects = (connection: Connection, dialect: 'sqlite' | 'postgres'): Promise<SchemaObject[]> =>
  connection.all<SchemaObject>(dialect === 'sqlite' ? sqliteObjects : postgresObjects, [])

/** A schema of this name exists only within a transaction that is rolled back. */
const scratchSchema = 'millrace_expected_schema'
const scratchTimeoutMs = (60 * MICROS_PER_SECOND) / 1000

/**
 * The parts that the migrations make, read from a schema that is made and rolled back. On PostgreSQL it is in the same database beside the real one; on SQLite
 * the connection is that of an empty database in memory. Indexes, which cannot be built in a transaction everywhere, have their own check.
 */
export async function readMigratedObjects(
  connection: WriteConnection,
  dialect: 'sqlite' | 'postgres',
  applied: ReadonlySet<number>,
): Promise<SchemaObject[]> {
  await connection.begin()
  try {
    if (dialect === 'postgres') {
      await connection.script(
        `set local statement_timeout = ${scratchTimeoutMs}; create schema ${scratchSchema}; set local search_path = ${scratchSchema}`,
      )
    }
    for (const { number, up } of migrationsOf(dialect)) {
      if (!applied.has(number)) continue
      for (const { kind, text, isOptional } of splitSteps(up)) {
        if (isOptional) continue
        if (kind === 'transaction') await connection.script(text)
        else for (const statement of statementsOf(text)) if (!isOutsideOfTransactions.test(statement)) await connection.script(statement)
      }
    }
    return await readSchemaObjects(connection, dialect)
  } finally {
    await connection.rollback()
  }
}

/** Changes of indexes and statistics, which cannot be in a transaction and make no object. */
const isOutsideOfTransactions = /^(?:\s|--.*\n)*(?:(?:create (?:unique )?|drop )index concurrently|vacuum)/i
