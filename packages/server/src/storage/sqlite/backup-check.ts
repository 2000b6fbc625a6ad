import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { StartupError } from '../../lib/startup-error.ts'
import { version } from '../../version.ts'
import { migrationTable, rejectForeignDatabase } from '../foreign-database.ts'
import { migrationsOf } from '../migrate.ts'
import { explainFileError } from './startup-checks.ts'

/** The content of a checked backup. */
export interface BackupContent {
  readonly database_bytes: number
  /** The newest migration of its schema. */
  readonly migration: string
  /** Migrations that a server of this version will apply to it. */
  readonly pending: readonly string[]
  /** Rows of the main tables. */
  readonly counts: Readonly<Record<string, number>>
  /** Ids of the keys that its block documents are encrypted with. */
  readonly key_ids: readonly string[]
}

const countedTables = ['flow', 'deployment', 'flow_run', 'task_run', 'log', 'block_document', 'automation', 'variable'] as const

/** Problems that are listed. The first ones tell whether a file is damaged. */
const problemsMax = 20

/**
 * Reads a copy of a database that no server uses. Throws a `StartupError` if it is damaged, belongs to another program, or has the schema of a newer
 * version. `full` also compares each index with its table, which takes several times as long.
 */
export function checkBackup(file: string, { full = false }: { full?: boolean } = {}): BackupContent {
  try {
    // The file has no write-ahead log, so nothing is created beside it.
    const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
    try {
      return readContent(database, file, full)
    } finally {
      database.close()
    }
  } catch (error) {
    throw explainFileError(error, file) ?? error
  }
}

function readContent(database: DatabaseSync, file: string, full: boolean): BackupContent {
  const tables = column(database, "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name")
  if (!tables.includes(migrationTable)) {
    rejectForeignDatabase(tables, file, file)
    throw new StartupError('databaseUnusable', `${file} has no tables of Millrace. Choose another backup.`)
  }
  const problems = column(database, `pragma ${full ? 'integrity_check' : 'quick_check'}(${problemsMax})`).filter((line) => line !== 'ok')
  if (problems.length > 0) {
    throw new StartupError(
      'databaseUnusable',
      `The backup ${file} is damaged. Choose another one.\n${problems.map((line) => `  ${line}`).join('\n')}`,
    )
  }
  const known = migrationsOf('sqlite')
  const applied = database.prepare(`select number, name, breaking from ${migrationTable} order by number`).all()
  const newer = applied.find(({ number, breaking }) => Number(number) > (known.at(-1)?.number ?? 0) && Number(breaking) === 1)
  if (newer) {
    throw new StartupError(
      'databaseUnusable',
      `The backup ${file} has migration ${newer.name}, which Millrace ${version} does not know. Restore it with the version that made it, or with a newer one.`,
    )
  }
  const numbers = new Set(applied.map(({ number }) => Number(number)))
  const counted = countedTables.filter((table) => tables.includes(table))
  return {
    database_bytes: statSync(file).size,
    migration: String(applied.at(-1)?.name ?? ''),
    pending: known.filter(({ number }) => !numbers.has(number)).map(({ name }) => name),
    counts: Object.fromEntries(counted.map((table) => [table, Number(column(database, `select count(*) from ${table}`)[0])])),
    key_ids: tables.includes('block_document') ? column(database, 'select distinct key_id from block_document order by key_id') : [],
  }
}

const column = (database: DatabaseSync, sql: string): string[] =>
  database
    .prepare(sql)
    .all()
    .map((row) => String(Object.values(row)[0]))
