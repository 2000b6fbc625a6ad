import {
  type RetentionKind,
  readAdoptedUntil,
  readKindStats,
  readRetention,
  retentionDays,
  retentionKinds,
} from '../../domains/admin/retention-store.ts'
import { addSeconds, type Micros, secondsBetween } from '../../lib/time.ts'
import type { Check, Finding } from '../finding.ts'

/** Retention removes whole segments and partitions, so that rows may stay for some days longer. */
const toleranceDays = 8

const nouns: Readonly<Record<RetentionKind, string>> = { events: 'event', logs: 'log', flow_runs: 'flow run' }

export const retention: Check = {
  name: 'retention',
  summary: 'that rows older than the retention settings are removed',
  async run({ db, config, now }) {
    const days = retentionDays(config)
    const records = new Map((await readRetention(db)).map((record) => [record.kind, record]))
    const adoptedUntil = await readAdoptedUntil(db)
    const findings: Finding[] = []
    for (const kind of retentionKinds) {
      const limit = days[kind]
      if (limit === null) continue
      const { oldest } = await readKindStats(db, kind)
      if (oldest === null || (adoptedUntil !== null && oldest <= adoptedUntil)) continue
      const age = ageDays(oldest, now)
      if (age <= limit + toleranceDays) continue
      const last = records.get(kind)?.last_run
      findings.push({
        severity: 'warning',
        what: `The oldest ${nouns[kind]} is ${age} days old, and ${limit} days are kept. The last pass of retention was ${last === undefined ? 'never' : `${ageDays(last, now)} days ago`}.`,
        why: 'The database grows, and pages that read old rows become slower.',
        fix: 'Start a server with background services; MILLRACE_SERVICES_RETENTION_ENABLED must not be off.',
      })
    }
    const pass = records.get('events')?.last_run
    const lateAfter = 3 * config.services.retention.every_seconds
    if (config.events.retention_days !== null && pass !== undefined && pass < addSeconds(now, -Math.max(lateAfter, 86_400))) {
      findings.push({
        severity: 'info',
        what: `The last pass of retention was ${ageDays(pass, now)} days ago.`,
        why: 'It runs every hour while a server runs.',
        fix: 'Nothing if no server ran meanwhile.',
      })
    }
    return findings
  },
}

const ageDays = (at: Micros, now: Micros): number => Math.floor(secondsBetween(at, now) / 86_400)
