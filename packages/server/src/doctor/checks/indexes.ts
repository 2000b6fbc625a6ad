import { type Db, statement } from '../../storage/database.ts'
import { migrationTable } from '../../storage/foreign-database.ts'
import { type ExpectedIndex, expectedIndexes } from '../expected-indexes.ts'
import { type Check, type Finding, repairCommand } from '../finding.ts'
import { compareSchema } from './schema.ts'

const existing = statement((dialect) =>
  dialect.name === 'sqlite'
    ? "select name, 1 as valid from sqlite_master where type = 'index' and sql is not null"
    : `select index.relname as name, case when indisvalid and indisready then 1 else 0 end as valid from pg_index
        join pg_class index on index.oid = indexrelid where index.relnamespace = current_schema()::regnamespace`,
)
const applied = statement(`select number from ${migrationTable}`)

/** Indexes of large tables that no query has used since the statistics were reset a week ago or more. */
const unused = statement(
  `select indexrelname as name, relname as "table", pg_relation_size(indexrelid) as bytes from pg_stat_user_indexes
    join pg_stat_user_tables using (relid, schemaname, relname)
    join pg_index using (indexrelid)
    where pg_stat_user_indexes.idx_scan = 0 and not indisunique and n_live_tup > 100000
      and (select coalesce(stats_reset, pg_postmaster_start_time()) from pg_stat_database where datname = current_database()) < now() - interval '7 days'
    order by bytes desc limit 20`,
)

export const indexes: Check = {
  name: 'indexes',
  summary: 'that all indexes, columns, constraints, triggers and functions of the migrations exist, and which indexes are never used',
  anySchema: true,
  async run(input) {
    const { db } = input
    const found = new Map((await db.all<{ name: string; valid: number }>(existing)).map(({ name, valid }) => [name, valid === 1]))
    const numbers = new Set((await db.all<{ number: number }>(applied)).map(({ number }) => Number(number)))
    const findings = await compareSchema(input)
    for (const index of expectedIndexes(db.dialect.name, numbers)) {
      const isValid = found.get(index.name)
      if (isValid !== true) findings.push(describeMissing(db, index, isValid === false))
    }
    return db.dialect.isShared ? [...findings, ...(await findUnused(db))] : findings
  },
}

function describeMissing(db: Db, index: ExpectedIndex, isInvalid: boolean): Finding {
  // PostgreSQL builds indexes of partitioned tables in a transaction only.
  const isOnline = db.dialect.isShared && !(db.dialect.partitions && index.table === 'log')
  const create = index.statement.replace(/^(create (?:unique )?index) (?:concurrently )?/i, isOnline ? '$1 concurrently ' : '$1 ')
  return {
    severity: index.isOptional ? 'info' : 'error',
    what: isInvalid ? `The index ${index.name} of ${index.table} is invalid.` : `The index ${index.name} of ${index.table} is missing.`,
    why: isInvalid ? 'A build was interrupted. Queries do not use it, and writes still maintain it.' : 'Queries that need it read the whole table.',
    fix: index.isOptional ? 'Nothing, or install the extension pg_trgm and run `millrace doctor --repair`.' : repairCommand,
    repair: { title: `build the index ${index.name}`, statements: [create] },
  }
}

async function findUnused(db: Db): Promise<Finding[]> {
  const rows = await db.all<{ name: string; table: string; bytes: number }>(unused)
  return rows.map(({ name, table, bytes }) => ({
    severity: 'info',
    what: `No query has used the index ${name} of ${table} (${Math.round(Number(bytes) / 1e6)} MB) for a week.`,
    why: 'Writes maintain it.',
    fix: 'Nothing: a page of the dashboard that nobody opened may need it.',
  }))
}
