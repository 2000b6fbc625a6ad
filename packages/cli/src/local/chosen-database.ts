import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { databaseTarget } from '@millrace/server/config/database-url.ts'
import { HIDDEN } from '@millrace/server/config/describe.ts'
import type { Config } from '@millrace/server/config.ts'
import type { Cli } from '../cli.ts'
import { UsageError } from '../errors.ts'
import { databaseConfig } from './with-database.ts'

/** The settings with the database of `--database`, or of the server of `--server`, or of the environment. */
export async function chosenDatabase(cli: Cli, url: string | undefined): Promise<Config> {
  if (url !== undefined || cli.connection.source !== '--server') return databaseConfig(cli, url)
  const own = databaseConfig(cli, undefined)
  const { settings } = await cli.createClient().server.settings()
  const used = String((settings as { database?: { url?: unknown } } | undefined)?.database?.url)
  // A server hides its password. The environment may have it.
  if (shownUrl(used) === shownUrl(own.database.url)) return own
  const target = used.startsWith('sqlite:') ? databaseTarget(used) : undefined
  const isReachable = target?.dialect === 'sqlite' ? isAbsolute(target.path) && existsSync(target.path) : !used.includes(HIDDEN) && URL.canParse(used)
  if (isReachable) return databaseConfig(cli, used)
  const why = target ? 'That file is not on this machine.' : 'Its password is not known here.'
  throw new UsageError(`The server ${cli.connection.url} uses the database ${shownUrl(used)}. ${why} Name the database with --database.`)
}

/** A URL of a database without its password. */
export function shownUrl(url: string): string {
  if (url.startsWith('sqlite:') || !URL.canParse(url)) return url
  const parsed = new URL(url)
  parsed.password = ''
  for (const name of ['password', 'sslpassword']) parsed.searchParams.delete(name)
  return parsed.href
}
