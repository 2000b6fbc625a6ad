import { serviceActor } from '../../lib/actor.ts'
import { upcomingTimes } from '../../lib/schedule/schedule.ts'
import { addSeconds, formatNullableTime, formatTime, type Micros } from '../../lib/time.ts'
import { type ActingContext, actAs, perServer, type ServerContext } from '../../storage/server-context.ts'
import { backupEvent } from './events.ts'

/** A failed backup is tried again after this time, or at its next scheduled time. */
const retrySeconds = 300

interface Failure {
  readonly at: Micros
  readonly problem: string
}

/** Backups of a SQLite database at the times of `services.backup.schedule`. The names of the files tell when the last one was made. */
class ScheduledBackups {
  readonly #context: ActingContext
  #failure: Failure | undefined

  constructor(context: ActingContext) {
    this.#context = context
  }

  /**
   * Makes a backup if one is due. The first one is due at once, so that a wrong setting shows itself; one whose time passed while the server was down
   * is made up for. Returns the bytes of the backup, and 0 if none is due.
   */
  async runDue(signal: AbortSignal): Promise<number> {
    const { config, clock, backups } = this.#context
    const now = clock.now()
    const due = this.#nextTime()
    if (!backups || due === undefined || due > now) return 0
    const { folder, compress, keep } = config.services.backup
    try {
      const result = await backups.create({ folder, compress, keep, now, configuredKeys: configuredKeys(this.#context) }, signal)
      this.#failure = undefined
      await this.#emit('finished', { file: result.file, bytes: result.bytes, seconds: result.seconds, warnings: result.warnings })
      return result.bytes
    } catch (error) {
      if (signal.aborted) return 0
      const problem = error instanceof Error ? error.message : String(error)
      this.#failure = { at: now, problem }
      await this.#emit('failed', { problem })
      throw error
    }
  }

  /** For `/admin/settings`; undefined without a schedule. */
  status(): Record<string, unknown> | undefined {
    const { config, backups } = this.#context
    const { schedule, folder } = config.services.backup
    if (!backups || schedule === '') return undefined
    const last = backups.latest(folder)
    return {
      folder: backups.folder(folder),
      last_backup: formatNullableTime(last?.at ?? null),
      last_file: last?.path ?? null,
      last_failure: this.#failure ? { at: formatTime(this.#failure.at), problem: this.#failure.problem } : null,
      next_backup: formatNullableTime(this.#nextTime() ?? null),
    }
  }

  #nextTime(): Micros | undefined {
    const { config, backups } = this.#context
    const { schedule, folder } = config.services.backup
    const last = backups?.latest(folder)
    const scheduled = last ? upcomingTimes({ cron: schedule }, { after: addSeconds(last.at, 1), limit: 1 })[0] : 0
    if (scheduled === undefined || !this.#failure) return scheduled
    return Math.max(scheduled, addSeconds(this.#failure.at, retrySeconds))
  }

  #emit(outcome: 'finished' | 'failed', payload: object): Promise<void> {
    const { commands, newId, clock } = this.#context
    return commands.submit(async (tx) => tx.emit(backupEvent(outcome, payload, newId(), clock.now())))
  }
}

const configuredKeys = ({ config }: ServerContext): string[] => (config.server.encryption_key ?? '').split(',').filter((key) => key.trim() !== '')

export const scheduledBackups = perServer((context) => new ScheduledBackups(actAs(context, serviceActor('backup'))))
