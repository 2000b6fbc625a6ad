import { systemClock } from '../src/lib/time.ts'
import { migrate } from '../src/storage/migrate.ts'
import type { Pool } from '../src/storage/pool.ts'
import { openPostgres } from '../src/storage/postgres/connect.ts'
import { openSqlite } from '../src/storage/sqlite/connect.ts'

/** Opens and migrates a database without a server. */
export async function openDatabasePool(url: string): Promise<Pool> {
  const pool = url.startsWith('sqlite:')
    ? openSqlite(url, { holder: { name: 'a fill', now: Date.now() * 1000 } })
    : openPostgres(url, { poolSize: 2, statementTimeoutSeconds: 3600, onError: () => {} })
  await migrate(pool, systemClock())
  return pool
}
