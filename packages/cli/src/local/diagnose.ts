import { resolve } from 'node:path'
import { maintainDatabase, readDatabase, readMigratedSchema } from '@millrace/server/app.ts'
import { databaseTarget } from '@millrace/server/config/database-url.ts'
import type { Config } from '@millrace/server/config.ts'
import type { DoctorInput, Repair, SchemaReader, ServerFacts } from '@millrace/server/doctor/finding.ts'
import { allChecks, type CheckedFinding, runChecks } from '@millrace/server/doctor/run-checks.ts'
import { machineClock } from '@millrace/server/lib/time.ts'
import { listPendingMigrations, migrationsOf } from '@millrace/server/storage/migrate.ts'
import type { ReadPool } from '@millrace/server/storage/pool.ts'
import { readSchemaObjects } from '@millrace/server/storage/schema-objects.ts'
import { defaultBackupFolder, listBackups } from '@millrace/server/storage/sqlite/backup-files.ts'
import { ReadDb } from '@millrace/server/storage/transaction.ts'
import type { Cli } from '../cli.ts'
import { CommandError, UsageError } from '../errors.ts'
import type { DoctorFlags } from '../local-interface.ts'
import { chosenDatabase, shownUrl } from './chosen-database.ts'
import { readServerFacts } from './server-facts.ts'
import { lockHolderName, withDatabase } from './with-database.ts'

interface PerformedRepair {
  readonly title: string
  readonly result: string
}

/** Checks the database beside running servers, and repairs it with consent. */
export async function diagnose(cli: Cli, flags: DoctorFlags): Promise<void> {
  const config = await chosenDatabase(cli, flags.database)
  if (config.database.url === 'sqlite::memory:') throw new UsageError('A database in memory cannot be checked. Name another one with --database.')
  const server = await readServerFacts(cli, config)
  const found = await check(cli, config, flags, server)
  if (!flags.repair) return report(cli, config, found, [])
  const repairs = await performRepairs(cli, config, flags, found)
  await report(cli, config, await check(cli, config, flags, server), repairs)
}

function check(cli: Cli, config: Config, flags: DoctorFlags, server: ServerFacts | undefined): Promise<CheckedFinding[]> {
  return readDatabase({ config, onWait: (message) => cli.output.note(message) }, async (pool) => {
    if (!pool) throw new CommandError(`There is no database ${config.database.url}.`, 'notFound')
    return runChecks(await toInput(cli, pool, config, flags, server), await listPendingMigrations(pool))
  })
}

async function toInput(cli: Cli, pool: ReadPool, config: Config, flags: DoctorFlags, server: ServerFacts | undefined): Promise<DoctorInput> {
  const machineNow = machineClock().wall()
  const { clockQuery } = pool.dialect
  const [time] = clockQuery === null ? [] : await pool.reads.all<{ time: number }>(clockQuery, [])
  const target = databaseTarget(config.database.url)
  const file = target.dialect === 'sqlite' ? resolve(target.path) : undefined
  const folder = file === undefined ? undefined : config.services.backup.folder || defaultBackupFolder(file)
  return {
    db: new ReadDb(pool.reads, pool.dialect),
    config,
    now: time === undefined ? machineNow : Number(time.time),
    machineNow,
    file,
    isFull: flags.full ?? false,
    server,
    schema: schemaReader(pool, config, cli),
    latestBackup: file === undefined || folder === undefined ? undefined : listBackups(folder, file)[0]?.at,
  }
}

const schemaReader = (pool: ReadPool, config: Config, cli: Cli): SchemaReader => ({
  read: () => readSchemaObjects(pool.reads, pool.dialect.name),
  async readMigrated(applied) {
    const known = new Set(migrationsOf(pool.dialect.name).map(({ number }) => number))
    try {
      const objects = await readMigratedSchema({ config, onWait: (message) => cli.output.note(message) }, applied)
      return { objects, hasUnknown: [...applied].some((number) => !known.has(number)) }
    } catch (error) {
      return (error as Error).message
    }
  },
})

/** Each repair is asked for, and is a transaction of its own. */
async function performRepairs(cli: Cli, config: Config, flags: DoctorFlags, found: readonly CheckedFinding[]): Promise<PerformedRepair[]> {
  const performed: PerformedRepair[] = []
  for (const { what, repair } of found) {
    if (!repair) continue
    cli.output.note(what)
    if (!(await isAgreed(cli, repair, flags.yes))) continue
    performed.push({ title: repair.title, result: await perform(cli, config, repair) })
  }
  return performed
}

async function isAgreed(cli: Cli, { title }: Repair, yes: boolean | undefined): Promise<boolean> {
  try {
    await cli.confirm(`Repair: ${title}?`, yes)
    return true
  } catch (error) {
    // "No" skips this repair only. A missing terminal ends the command.
    if (error instanceof UsageError || cli.io.signal.aborted || !(error instanceof CommandError)) throw error
    return false
  }
}

/** Pending migrations are applied by a command of their own. */
async function perform(cli: Cli, config: Config, { run, statements = [] }: Repair): Promise<string> {
  if (run) return withDatabase(cli, config.database.url, ({ context }) => run(context))
  await maintainDatabase({ config, lockHolderName, onWait: (message) => cli.output.note(message) }, statements)
  return 'Done.'
}

async function report(cli: Cli, { database }: Config, findings: readonly CheckedFinding[], repairs: readonly PerformedRepair[]): Promise<void> {
  if (findings.some(({ severity }) => severity !== 'info')) cli.exitCode = 1
  if (cli.output.isStructured) {
    return cli.output.data({
      database: shownUrl(database.url),
      checks: ['migrations', ...allChecks.map(({ name }) => name)],
      findings: findings.map(({ check: name, severity, what, why, fix, repair }) => ({
        check: name,
        severity,
        what,
        why,
        fix,
        repair: repair?.title ?? null,
      })),
      repairs,
    })
  }
  cli.output.text(`Database: ${shownUrl(database.url)}`)
  for (const { title, result } of repairs) cli.output.text(`Repaired: ${title}. ${result}`)
  for (const { check: name, severity, what, why, fix } of findings) {
    cli.output.text(`${severity.toUpperCase()} ${name}: ${what}`)
    if (severity !== 'info') cli.output.text(`  ${why}\n  To do: ${fix}`)
  }
  const serious = findings.filter(({ severity }) => severity !== 'info').length
  const count = allChecks.length + 1
  cli.output.text(
    serious === 0 ? `${count} checks found nothing to do.` : `${count} checks found ${serious} ${serious === 1 ? 'problem' : 'problems'}.`,
  )
}
