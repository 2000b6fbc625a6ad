import { databaseTarget, normaliseDatabaseUrl } from '../../config/database-url.ts'
import { openPostgresSource } from './postgres-source.ts'
import { type Source, SourceError } from './source.ts'
import { openSqliteSource } from './sqlite-source.ts'

/** Opens what a person named: the path of a SQLite file, or the URL of a database as the other server's settings have it. */
export async function openSource(text: string, home: string): Promise<Source> {
  const target = databaseTarget(toUrl(text, home))
  if (target.dialect === 'postgres') return openPostgresSource(target.url)
  if (target.path === ':memory:') throw new SourceError('A database in memory cannot be taken over')
  return openSqliteSource(target.path)
}

function toUrl(text: string, home: string): string {
  try {
    return normaliseDatabaseUrl(/^[a-z]+(\+[a-z0-9]+)?:/i.test(text) ? text : `sqlite:${text}`, home)
  } catch (error) {
    throw new SourceError(`The source cannot be understood: ${error instanceof Error ? error.message : error}`)
  }
}
