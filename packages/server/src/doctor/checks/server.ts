import { upcomingTimes } from '../../lib/schedule/schedule.ts'
import { addSeconds, formatTime, secondsBetween } from '../../lib/time.ts'
import type { Check, Finding } from '../finding.ts'

/** A backup that is late by this much was not made. */
const lateSeconds = 3600

/** The running server, and its backups. */
export const server: Check = {
  name: 'server',
  summary: 'whether the running server is ready and its scheduled backups are made',
  anySchema: true,
  async run({ server: running, config, latestBackup, now }) {
    const findings: Finding[] = []
    if (running?.problem != null) {
      findings.push({
        severity: 'error',
        what: `The server ${running.url} is not ready: ${running.problem}.`,
        why: 'Load balancers send it no requests.',
        fix: 'Read its log.',
      })
    }
    if (running?.backupFailure != null) {
      findings.push({
        severity: 'warning',
        what: `The last scheduled backup failed: ${running.backupFailure}`,
        why: 'After a loss of the disk, everything since the last backup is gone.',
        fix: 'Correct the cause. The server tries again every five minutes.',
      })
    }
    const { schedule } = config.services.backup
    const due =
      schedule !== '' && latestBackup != null ? upcomingTimes({ cron: schedule }, { after: addSeconds(latestBackup, 1), limit: 1 })[0] : undefined
    if (due !== undefined && due < addSeconds(now, -lateSeconds)) {
      findings.push({
        severity: 'warning',
        what: `The last backup is ${Math.round(secondsBetween(latestBackup as number, now) / 3600)} hours old; another one was due at ${formatTime(due)}.`,
        why: 'After a loss of the disk, everything since the last backup is gone.',
        fix: 'Start a server with background services and MILLRACE_SERVICES_BACKUP_SCHEDULE.',
      })
    }
    return findings
  },
}
