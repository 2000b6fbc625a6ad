import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError } from '../errors.ts'
import type { Clock } from '../lib/time.ts'
import type { Connection, WriteConnection } from './connection.ts'
import type { Pool } from './pool.ts'

export interface Migration {
  readonly number: number
  readonly name: string
  /** Whether a server that does not know it must not run on a schema that has it. */
  readonly breaking: boolean
  readonly up: string
}

const nobody: ReadonlySet<string> = new Set()

const ledger = `create table if not exists millrace_migration (
  number integer primary key, name text not null, breaking integer not null, applied bigint not null
)`

/** Numbered SQL files, each in one transaction; its ledger row is written first, so that two servers cannot both apply it. */
export async function migrate(pool: Pool, clock: Clock): Promise<readonly string[]> {
  const known = migrationsOf(pool.dialect.name)
  return pool.withMaintenance(async (connection) => {
    await refuseForeign(connection)
    await makeLedger(connection)
    await refuseNewer(connection, known)
    const applied: string[] = []
    for (const migration of known) {
      if (await apply(connection, migration, clock.now())) applied.push(migration.name)
    }
    return applied
  })
}

export function migrationsOf(dialect: 'sqlite' | 'postgres'): Migration[] {
  const folder = join(import.meta.dirname, dialect, 'migrations')
  return readdirSync(folder)
    .filter((file) => file.endsWith('.up.sql'))
    .sort()
    .map((file) => {
      const up = readFileSync(join(folder, file), 'utf8')
      const heading = /^-- (\d+)_(\S+) · breaking: (yes|no)/.exec(up)
      if (!heading) throw new Error(`${file} must begin with "-- NNN_name · breaking: yes|no"`)
      return { number: Number(heading[1]), name: `${heading[1]}_${heading[2]}`, breaking: heading[3] === 'yes', up }
    })
}

/**
 * Of servers that start on an empty database together one makes it. PostgreSQL refuses the others, "if not exists" or not, by the name of the table or by
 * that of its type, once it is there: the next time they find it.
 */
const makeLedger = (connection: Connection): Promise<number> => connection.run(ledger, []).catch(() => connection.run(ledger, []))

/** The settings of another server may point here by accident: its tables are not ours to touch. */
async function refuseForeign(connection: Connection): Promise<void> {
  const theirs = await connection.all('select 1 from alembic_version', []).then(
    () => true,
    () => false,
  )
  if (!theirs) return
  throw new ApiError('FOREIGN_DATABASE', 500, 'The database belongs to a Prefect server. Start Millrace on a database of its own')
}

async function refuseNewer(connection: Connection, known: readonly Migration[]): Promise<void> {
  const latest = known.at(-1)?.number ?? 0
  const [newer] = await connection.all<{ name: string }>(
    'select name from millrace_migration where number > $1 and breaking = 1 order by number limit 1',
    [latest],
  )
  if (!newer) return
  throw new ApiError(
    'SCHEMA_TOO_NEW',
    500,
    `The database has the migration ${newer.name}, which this version of Millrace does not know: start a newer version`,
  )
}

async function apply(connection: WriteConnection, { number, name, breaking, up }: Migration, now: number): Promise<boolean> {
  const [done] = await connection.all('select 1 from millrace_migration where number = $1', [number])
  if (done) return false
  await connection.begin()
  try {
    const claimed = await connection.run(
      'insert into millrace_migration (number, name, breaking, applied) values ($1, $2, $3, $4) on conflict do nothing',
      [number, name, breaking ? 1 : 0, now],
    )
    if (claimed > 0) await connection.script(up)
    await connection.commit(nobody)
    return claimed > 0
  } catch (error) {
    await connection.rollback().catch(() => undefined)
    throw new Error(`migration ${name} failed`, { cause: error })
  }
}
