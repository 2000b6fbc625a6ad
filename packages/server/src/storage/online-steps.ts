import { waitSeconds } from '../lib/time.ts'
import type { WriteConnection } from './connection.ts'
import type { Dialect } from './dialect.ts'

interface OnlineSteps {
  /** Runs one statement of a migration outside of a transaction; see migration-steps.ts. */
  runOnline(connection: WriteConnection, statement: string): Promise<void>
  /** Lets one server at a time run the online steps of migrations. */
  withMigrationLock<R>(connection: WriteConnection, use: () => Promise<R>): Promise<R>
}

const concurrentIndex = /^create (?:unique )?index concurrently (?:if not exists )?(\w+)/i

const indexState = `select case when indisvalid then 1 else 0 end as valid from pg_index
  where indexrelid = to_regclass(current_schema() || '.' || quote_ident($1))`

/**
 * Runs one statement of a migration while other servers use the tables. An index that an interrupted build has left is not used by queries but costs
 * every write: it is dropped and built again.
 */
async function runOnline(connection: WriteConnection, statement: string): Promise<void> {
  const name = concurrentIndex.exec(statement)?.[1]
  if (name !== undefined) {
    const [existing] = await connection.all<{ valid: number }>(indexState, [name])
    if (existing?.valid === 1) return
    if (existing) await connection.script(`drop index concurrently ${name}`)
  }
  await connection.script(statement)
}

/** Any number that no other program uses for advisory locks of this database. */
const lockKey = 7_277_016
const pollSeconds = 0.2

/**
 * Lets one server at a time run online steps. Servers wait by asking again: a statement that waits for the lock would hold a snapshot, and the build of
 * an index waits for all snapshots.
 */
async function withMigrationLock<R>(connection: WriteConnection, use: () => Promise<R>): Promise<R> {
  for (;;) {
    const [lock] = await connection.all<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [lockKey])
    if (lock?.locked) break
    await waitSeconds(pollSeconds)
  }
  try {
    return await use()
  } finally {
    // A lost connection has released it.
    await connection.run('select pg_advisory_unlock($1)', [lockKey]).catch(() => undefined)
  }
}

/** SQLite has one server, and builds an index in no other way. */
export const onlineSteps: Readonly<Record<Dialect['name'], OnlineSteps>> = {
  sqlite: { runOnline: (connection, statement) => connection.script(statement), withMigrationLock: (_connection, use) => use() },
  postgres: { runOnline, withMigrationLock },
}
