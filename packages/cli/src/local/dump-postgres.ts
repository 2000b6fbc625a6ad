import { closeSync, existsSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readDatabase } from '@millrace/server/app.ts'
import type { Config } from '@millrace/server/config.ts'
import { errorCode } from '@millrace/server/lib/startup-error.ts'
import { formatTime, machineClock, monotonicSeconds } from '@millrace/server/lib/time.ts'
import { backupFileMode, flushToDisk } from '@millrace/server/storage/sqlite/backup-files.ts'
import type { Cli } from '../cli.ts'
import { CommandError, UsageError } from '../errors.ts'
import type { BackupFlags } from '../local-interface.ts'
import { formatBytes } from '../output/number-text.ts'
import { formatDuration } from '../output/time-text.ts'
import { shownUrl } from './chosen-database.ts'
import { findPostgresTool, runTool, splitPassword } from './postgres-tool.ts'

/** Saves a PostgreSQL database with pg_dump: one consistent snapshot in the custom format. Servers go on. */
export async function dumpPostgres(cli: Cli, config: Config, flags: BackupFlags): Promise<void> {
  if (flags.compress) throw new UsageError('--compress is for SQLite: pg_dump compresses its archives.')
  const startedAt = monotonicSeconds()
  const { url, direct_url } = config.database
  const { version, migration, name, keysInTable } = await readFacts(cli, config)
  const tool = await findPostgresTool(cli.io, 'pg_dump', version)
  const target = targetFile(name, flags)
  if (existsSync(target)) throw new CommandError(`${target} exists already. Choose another name.`)
  const temporary = `${target}.${process.pid}.tmp`
  try {
    prepareFile(temporary)
    // A connection pooler may not keep the transaction of the snapshot.
    const { url: plainUrl, env } = splitPassword(direct_url || url)
    const dump = await runTool(cli.io, 'pg_dump', ['--format=custom', '--no-owner', '--no-privileges', `--file=${temporary}`, plainUrl], env)
    if (dump.code !== 0) throw new CommandError(`pg_dump failed: ${dump.stderr.trim()}`)
    const list = await runTool(cli.io, 'pg_restore', ['--list', temporary])
    if (list.code !== 0 || !list.stdout.includes(' millrace_migration ')) throw new CommandError(`The archive cannot be read: ${list.stderr.trim()}`)
    flushToDisk(temporary)
    renameSync(temporary, target)
    flushToDisk(dirname(target))
  } finally {
    rmSync(temporary, { force: true })
  }
  const removed = flags.keep === undefined ? [] : removeOldDumps(dirname(target), name, flags.keep)
  if (!keysInTable) cli.output.note('Warning: The key of MILLRACE_SERVER_ENCRYPTION_KEY is not in the backup. Keep it in another safe place.')
  const result = {
    database: shownUrl(url),
    file: target,
    bytes: statSync(target).size,
    migration,
    pg_dump: tool.version,
    seconds: monotonicSeconds() - startedAt,
    removed,
  }
  await cli.output.done(
    [
      `Saved the database ${shownUrl(url)} to ${target} (${formatBytes(result.bytes)}) in ${formatDuration(Math.ceil(result.seconds))}.`,
      `The archive was checked: migration ${migration}.`,
      ...(removed.length === 0 ? [] : [`Removed ${removed.length} older ${removed.length === 1 ? 'backup' : 'backups'}.`]),
    ].join('\n'),
    result,
  )
}

interface DatabaseFacts {
  readonly version: number
  readonly migration: string
  readonly name: string
  /** Whether the encryption key is part of the database. */
  readonly keysInTable: boolean
}

async function readFacts(cli: Cli, config: Config): Promise<DatabaseFacts> {
  return readDatabase({ config, onWait: (message) => cli.output.note(message) }, async (pool) => {
    const reads = pool?.reads
    const [server] = (await reads?.all<{ version: string; name: string }>(
      "select current_setting('server_version_num') as version, current_database() as name",
      [],
    )) ?? [{ version: '0', name: '' }]
    const [migrated] = (await reads
      ?.all<{ name: string }>('select name from millrace_migration order by number desc limit 1', [])
      .catch(() => undefined)) ?? [undefined]
    if (!migrated || !server) throw new CommandError('The database has no tables of Millrace. Name another one with --database.')
    return {
      version: Math.floor(Number(server.version) / 10_000),
      migration: migrated.name,
      name: server.name,
      keysInTable: (config.server.encryption_key ?? '') === '',
    }
  })
}

function targetFile(name: string, { file, dir }: BackupFlags): string {
  if (file !== undefined) return resolve(file)
  const stamp = formatTime(machineClock().wall()).replaceAll(/[-:]|\.\d+/g, '')
  return join(resolve(dir ?? '.'), `${name}-${stamp}.dump`)
}

/** pg_dump keeps the mode of an existing file. */
function prepareFile(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    closeSync(openSync(file, 'wx', backupFileMode))
  } catch (error) {
    throw new CommandError(`Cannot write ${dirname(file)} (${errorCode(error)}). Choose another folder.`)
  }
}

function removeOldDumps(folder: string, name: string, keep: number): string[] {
  const pattern = new RegExp(`^${RegExp.escape(name)}-\\d{8}T\\d{6}Z\\.dump$`)
  const removed = readdirSync(folder)
    .filter((file) => pattern.test(file))
    .sort()
    .reverse()
    .slice(keep)
    .map((file) => join(folder, file))
  for (const path of removed) rmSync(path, { force: true })
  return removed
}
