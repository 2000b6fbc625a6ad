import type pg from 'pg'

const names = new Map<string, string>()
const namesMax = 500

/**
 * The name under which a statement is prepared once per connection. Texts beyond the first few hundred are filters that rarely repeat: they stay
 * unnamed, which bounds the memory of the database. So do texts that begin with a comment: a query uses it to be planned for its values each time.
 */
export function preparedStatementName(text: string): string | undefined {
  if (text.startsWith('/*')) return undefined
  const existing = names.get(text)
  if (existing || names.size >= namesMax) return existing
  const name = `m${names.size}`
  names.set(text, name)
  return name
}

/**
 * A table has changed, by a migration beside this server, so that a prepared statement would return other columns. The database refuses to run it until it is
 * prepared again, and has run nothing of its message. Other statements of the session may be outdated too.
 */
export const isOutdatedStatement = (error: unknown): boolean =>
  error instanceof Error && (error as pg.DatabaseError).code === '0A000' && (error as pg.DatabaseError).routine === 'RevalidateCachedQuery'
