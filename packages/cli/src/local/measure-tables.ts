import { readDatabase } from '@millrace/server/app.ts'
import {
  type RetentionKind,
  readDatabaseBytes,
  readKindStats,
  readTableSizes,
  retentionKinds,
} from '@millrace/server/domains/admin/retention-store.ts'
import { formatNullableTime } from '@millrace/server/lib/time.ts'
import { listPendingMigrations } from '@millrace/server/storage/migrate.ts'
import { ReadDb } from '@millrace/server/storage/transaction.ts'
import type { Cli } from '../cli.ts'
import { CommandError } from '../errors.ts'
import type { DatabaseSize } from '../local-interface.ts'
import { databaseConfig } from './with-database.ts'

const tableOf: Readonly<Record<RetentionKind, string>> = { events: 'event', logs: 'log', flow_runs: 'flow_run' }

/** Measures every table of a database, also beside a running server. */
export async function measureTables(cli: Cli, url: string): Promise<DatabaseSize> {
  const config = databaseConfig(cli, url)
  return readDatabase({ config, onWait: (message) => cli.output.note(message) }, async (pool) => {
    if (!pool) throw new CommandError(`There is no database ${config.database.url}.`, 'notFound')
    // The statements below need the tables of this version.
    const [missing] = await listPendingMigrations(pool)
    if (missing !== undefined) throw new CommandError(`The database lacks migration ${missing}. Apply it with \`millrace db migrate\`.`)
    const db = new ReadDb(pool.reads, pool.dialect)
    const oldest = new Map<string, string | null>()
    for (const kind of retentionKinds) oldest.set(tableOf[kind], formatNullableTime((await readKindStats(db, kind)).oldest))
    const sizes = await readTableSizes(db)
    return { database_bytes: await readDatabaseBytes(db), tables: sizes.map((size) => ({ ...size, oldest: oldest.get(size.name) ?? null })) }
  })
}
