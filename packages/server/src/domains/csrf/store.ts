import type { Micros } from '../../lib/time.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import { migrationTable } from '../../storage/foreign-database.ts'
import type { Row } from '../../storage/tables.ts'

export type CsrfTokenRow = Row<'csrf_token'>

const byClients = statement((dialect) => `select * from csrf_token where ${dialect.inList('client', '$1', 'text')}`)
const digestOf = statement('select token_digest from csrf_token where client = $1 and expiration > $2')
const removeExpired = statement(
  (dialect) =>
    `delete from csrf_token where id in (select id from csrf_token where expiration <= $1 order by expiration limit 100 ${dialect.skipLocked})`,
)
const firstMigration = statement(`select min(applied) as applied from ${migrationTable}`)
const replace =
  'on conflict (client) do update set token_digest = excluded.token_digest, expiration = excluded.expiration, updated = excluded.updated'

/** Replaces the token of each client. */
export async function replaceTokens(tx: Tx, rows: readonly CsrfTokenRow[]): Promise<CsrfTokenRow[]> {
  await tx.insert('csrf_token', rows, { onConflict: replace })
  return tx.all<CsrfTokenRow>(byClients, [tx.dialect.list(rows.map(({ client }) => client))])
}

/** Deletes some expired tokens, so that the table does not grow with every client. */
export const deleteExpiredTokens = (tx: Tx, now: Micros): Promise<number> => tx.run(removeExpired, [now])

export const readDigest = async (db: Db, client: string, now: Micros): Promise<string | undefined> =>
  (await db.first<{ token_digest: string }>(digestOf, [client, now]))?.token_digest

/** When the first migration was applied. */
export const readDatabaseCreated = async (db: Db): Promise<Micros> => (await db.first<{ applied: number }>(firstMigration))?.applied ?? 0
