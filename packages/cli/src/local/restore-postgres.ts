import { existsSync } from 'node:fs'
import { readDatabase } from '@millrace/server/app.ts'
import type { Config } from '@millrace/server/config.ts'
import type { Cli } from '../cli.ts'
import { CommandError } from '../errors.ts'
import { findPostgresTool, runTool, splitPassword } from './postgres-tool.ts'

/** Restores an archive of pg_dump into an empty PostgreSQL database, in one transaction. */
export async function restorePostgres(cli: Cli, config: Config, file: string, checkOnly: boolean): Promise<void> {
  if (!existsSync(file)) throw new CommandError(`There is no backup ${file}.`)
  const { version, tables, name } = await readTarget(cli, config)
  await findPostgresTool(cli.io, 'pg_restore', version)
  const list = await runTool(cli.io, 'pg_restore', ['--list', file])
  if (list.code !== 0) throw new CommandError(`${file} is not an archive of pg_dump: ${list.stderr.trim()}`)
  if (!list.stdout.includes(' millrace_migration ')) throw new CommandError(`${file} has no tables of Millrace. Choose another backup.`)
  if (checkOnly) return cli.output.done(`The backup ${file} can be restored into an empty database.`, { file })
  if (tables > 0) {
    throw new CommandError(
      `The database ${name} has ${tables} tables. Stop the servers, create an empty database (\`createdb millrace_restored\`), name it with --database, and start the servers on it.`,
    )
  }
  const { url, env } = splitPassword(config.database.direct_url || config.database.url)
  const args = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges', `--dbname=${url}`, file]
  const restored = await runTool(cli.io, 'pg_restore', args, env)
  if (restored.code !== 0) throw new CommandError(`pg_restore failed, and nothing was changed: ${restored.stderr.trim()}`)
  await cli.output.done(`Restored ${file} into the database ${name}. Run \`vacuumdb --analyze-only\` on it before you start servers.`, {
    file,
    database: name,
  })
}

const targetQuery = `select current_setting('server_version_num') as version, current_database() as name, count(*) as tables
  from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
    and not exists (select 1 from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')`

async function readTarget(cli: Cli, config: Config): Promise<{ version: number; tables: number; name: string }> {
  return readDatabase({ config, onWait: (message) => cli.output.note(message) }, async (pool) => {
    const [row] = (await pool?.reads.all<{ version: string; name: string; tables: number }>(targetQuery, [])) ?? []
    if (!row) throw new CommandError('The database cannot be read.')
    return { version: Math.floor(Number(row.version) / 10_000), tables: Number(row.tables), name: row.name }
  })
}
