import type { Connection } from './connection.ts'
import type { Dialect } from './dialect.ts'
import { listPendingMigrations, migrationsOf } from './migrate.ts'
import { type MigrationStep, splitSteps, statementsOf } from './migration-steps.ts'
import type { TableName } from './tables.ts'

/** What others cannot do while a statement runs. */
export type MigrationLock = 'none' | 'short' | 'writes' | 'all'

/** The cost of one statement of a migration. */
export interface PlannedStatement {
  readonly statement: string
  /** The table that it changes or reads; null for functions, extensions and the like. */
  readonly table: string | null
  /** The approximate rows of the table; 0 for a table that does not exist yet. */
  readonly rows: number
  readonly lock: MigrationLock
  /** Estimated from the rows. */
  readonly seconds: number
  /** Whether the migration goes on if it fails. */
  readonly isOptional: boolean
}

export interface PlannedMigration {
  readonly name: string
  readonly statements: readonly PlannedStatement[]
}

/** A short lock waits for less than this for others, and they for it; see `limitLockWait` of the dialect. */
const shortSeconds = 0.1

/**
 * Seconds per row. A trigram index of 200,000 flow runs took 9.6 µs per row on two cores; the estimate is twice that, for slower disks. Counting
 * the finished runs took 2 µs per row while the machine was busy. The other rates are rough guesses. A concurrent build reads the table twice.
 */
const secondsPerRow = { index: 2.5e-6, gin: 20e-6, write: 20e-6, read: 0.5e-6, count: 2e-6 } as const

interface StatementKind {
  readonly pattern: RegExp
  /** On PostgreSQL. On SQLite nothing else runs during a migration. */
  readonly lock: MigrationLock
  readonly perRow: number
  /** The table, for a statement on a table that the migration itself creates. */
  readonly table?: string
}

/** The first match counts. The first group is the table. */
const kinds: readonly StatementKind[] = [
  { pattern: /^create (?:unique )?index concurrently .*? on (\w+) using gin/is, lock: 'none', perRow: 2 * secondsPerRow.gin },
  { pattern: /^create (?:unique )?index concurrently .*? on (\w+)/is, lock: 'none', perRow: 2 * secondsPerRow.index },
  { pattern: /^create (?:unique )?index .*? on (\w+) using gin/is, lock: 'writes', perRow: secondsPerRow.gin },
  { pattern: /^create (?:unique )?index .*? on (\w+)/is, lock: 'writes', perRow: secondsPerRow.index },
  { pattern: /^create table (?:if not exists )?(\w+)/is, lock: 'none', perRow: 0 },
  { pattern: /^create (?:or replace )?trigger .*? on (\w+)/is, lock: 'short', perRow: 0 },
  { pattern: /^lock table (\w+)/is, lock: 'short', perRow: 0 },
  { pattern: /^alter table (\w+) validate/is, lock: 'none', perRow: secondsPerRow.read },
  { pattern: /^alter table (\w+) add (?:constraint|check|foreign key)(?!.*not valid)/is, lock: 'writes', perRow: secondsPerRow.read },
  { pattern: /^alter table (\w+) alter (?:column )?\w+ (?:type|set not null)/is, lock: 'all', perRow: secondsPerRow.write },
  { pattern: /^alter table (?:if exists )?(\w+)/is, lock: 'short', perRow: 0 },
  { pattern: /^(?:drop|truncate) table (?:if exists )?(\w+)/is, lock: 'short', perRow: 0 },
  { pattern: /^update (\w+)/is, lock: 'none', perRow: secondsPerRow.write },
  { pattern: /^delete from (\w+)/is, lock: 'none', perRow: secondsPerRow.write },
  { pattern: /^insert into \w+\s(?:.*?\s)?select .*?count\(\*\).*? from (\w+)/is, lock: 'none', perRow: secondsPerRow.count },
  { pattern: /^insert into run_name_index/i, lock: 'none', perRow: secondsPerRow.gin, table: 'flow_run' },
  { pattern: /^insert into \w+.* from (\w+)/is, lock: 'none', perRow: secondsPerRow.write },
  { pattern: /^insert into (\w+)/is, lock: 'none', perRow: 0 },
  { pattern: /^select millrace_recount_(?:finished_)?runs\('(\w+)'\)/i, lock: 'none', perRow: secondsPerRow.count },
  { pattern: /^drop index concurrently/i, lock: 'none', perRow: 0 },
  { pattern: /^drop (?:index|trigger)/i, lock: 'short', perRow: 0 },
]

/** What the pending migrations will do to an existing database. All migrations are pending without a database. */
export async function planMigrations(dialect: Dialect, reads: Connection | undefined): Promise<PlannedMigration[]> {
  const known = migrationsOf(dialect.name)
  const pending = new Set(reads ? await listPendingMigrations({ dialect, reads }) : known.map(({ name }) => name))
  const rowsOf = memoize(async (table: string) => (reads ? countRows(dialect, reads, table) : 0))
  const planned: PlannedMigration[] = []
  for (const { name, up } of known.filter((migration) => pending.has(migration.name))) {
    const statements: PlannedStatement[] = []
    for (const step of splitSteps(up)) {
      for (const statement of statementsOf(step.text)) statements.push(await planStatement(dialect, statement, step, rowsOf))
    }
    planned.push({ name, statements })
  }
  return planned
}

async function planStatement(
  dialect: Dialect,
  statement: string,
  { isOptional }: MigrationStep,
  rowsOf: (table: string) => Promise<number>,
): Promise<PlannedStatement> {
  const kind = kinds.find(({ pattern }) => pattern.test(statement))
  const table = kind?.table ?? kind?.pattern.exec(statement)?.[1] ?? null
  const rows = table === null ? 0 : await rowsOf(table)
  const seconds = rows * (kind?.perRow ?? 0)
  // The lock of a statement that takes no time does not matter.
  const lock = kind && kind.lock !== 'none' && seconds < shortSeconds && kind.lock !== 'short' ? 'short' : (kind?.lock ?? 'none')
  return { statement: statement.replaceAll(/\s+/g, ' '), table, rows, lock: rows === 0 || !dialect.isShared ? 'none' : lock, seconds, isOptional }
}

/** Zero for a table that does not exist. */
async function countRows(dialect: Dialect, reads: Connection, table: string): Promise<number> {
  try {
    const [stats] = await reads.all<{ rows: number }>(dialect.tableStats(table as TableName), [])
    return Number(stats?.rows ?? 0)
  } catch (error) {
    if (dialect.isUnavailable(error)) throw error
    return 0
  }
}

function memoize<R>(read: (key: string) => Promise<R>): (key: string) => Promise<R> {
  const results = new Map<string, Promise<R>>()
  return (key) => {
    const result = results.get(key) ?? read(key)
    results.set(key, result)
    return result
  }
}
