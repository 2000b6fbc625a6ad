import { databaseTarget, normaliseDatabaseUrl } from '../../config/database-url.ts'
import { openPostgresSource } from './postgres-source.ts'
import { type Source, SourceError } from './source.ts'
import { openSqliteSource } from './sqlite-source.ts'

/** Opens the source that the user passed: the path of a SQLite file, or a database URL as in the settings of the other server. */
export async function openSource(text: string, home: string): Promise<Source> {
  const target = databaseTarget(toUrl(text, home))
  if (target.dialect === 'postgres') return openPostgresSource(target.url)
  if (target.path === ':memory:') throw new SourceError('An in-memory database cannot be adopted.')
  return openSqliteSource(target.path)
}

function toUrl(text: string, home: string): string {
  try {
    return normaliseDatabaseUrl(/^[a-z]+(\+[a-z0-9]+)?:/i.test(text) ? text : `sqlite:${text}`, home)
  } catch (error) {
    throw new SourceError(`Invalid source: ${error instanceof Error ? error.message : error}`)
  }
}
