import { checkSchedule } from '../lib/schedule/check-schedule.ts'

/** Checks the cron expression of scheduled backups. Throws the reason if it is not valid. */
export function normaliseCron(text: string): string {
  const cron = text.trim()
  const problem = cron === '' ? undefined : checkSchedule({ cron })
  if (problem !== undefined) throw new Error(problem)
  return cron
}

interface BackupSettings {
  readonly services: { readonly backup: { readonly schedule: string } }
  readonly database: { readonly url: string }
}

/** Why the server cannot start with scheduled backups; undefined if it can. */
export function backupProblem({ services, database }: BackupSettings): string | undefined {
  if (services.backup.schedule === '') return undefined
  const unset = 'Remove MILLRACE_SERVICES_BACKUP_SCHEDULE'
  if (!database.url.startsWith('sqlite:')) {
    return `Scheduled backups are for SQLite. A backup of PostgreSQL belongs to the machine of the database, with pg_dump or a WAL archive (docs/backup.md). ${unset}.`
  }
  return database.url === 'sqlite::memory:' ? `A database in memory has no file to save. ${unset}, or name a file with --database.` : undefined
}
