import { type Db, statement } from './database.ts'

const existing = statement((dialect) => dialect.nameIndexQuery as string)
const known = new WeakMap<Db, boolean>()

/**
 * Whether an index finds the runs whose names contain a text. PostgreSQL has one if migration 018 could create the extension `pg_trgm`. It serves
 * ASCII patterns only, because other patterns need the collation of the database to ignore case.
 */
export async function hasNameIndex(db: Db, pattern: string): Promise<boolean> {
  if (db.dialect.nameIndexQuery === null || !/^[\0-\x7f]*$/.test(pattern)) return false
  const cached = known.get(db)
  if (cached !== undefined) return cached
  const exists = (await db.first(existing)) !== undefined
  known.set(db, exists)
  return exists
}
