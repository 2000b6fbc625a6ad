import { addSeconds, type Micros, secondsBetween } from '../../lib/time.ts'
import { statement } from '../../storage/database.ts'
import { type Check, countText, type Finding, repairCommand, statementRepair } from '../finding.ts'

const lastPosition = `(select coalesce(max(position), 0) from (select max(position) as position from event union all select max(last) from event_segment) places)`
const cursor = statement(
  `select seen, ${lastPosition} as last, (select min(received) from event where position > seen) as oldest_unseen
    from event_cursor where name = 'automations'`,
)
const resetCursor = statement(`update event_cursor set seen = ${lastPosition} where name = 'automations' and seen > ${lastPosition}`)
const oldestFiring = statement('select min(created) as at, count(*) as count from automation_firing')
const overdueSchedules = statement(
  `select count(*) as count, min(due) as at from deployment_schedule
    join deployment on deployment.id = deployment_schedule.deployment_id where due < $1`,
)

const revision = statement('select revision from automation_revision')
/** Differs from every revision that a running server has loaded. */
const restoreRevision = statement('insert into automation_revision (id, revision) select 1, $1 where not exists (select 1 from automation_revision)')

/** A service that is late by this much does not run. */
const lateSeconds = 600

/** The services keep up with their work. */
export const readers: Check = {
  name: 'readers',
  summary: 'that automations keep up with the event log, and that queued actions and due schedules are handled',
  async run({ db, now, config }) {
    const findings: Finding[] = []
    const late = addSeconds(now, -lateSeconds)
    const position = await db.first<{ seen: number; last: number; oldest_unseen: Micros | null }>(cursor)
    const behind = Number(position?.last ?? 0) - Number(position?.seen ?? 0)
    if (behind < 0) {
      findings.push({
        severity: 'error',
        what: `The automations have read to position ${position?.seen}, and the event log ends at ${position?.last}.`,
        why: 'Automations ignore new events until the log has reached that position.',
        fix: repairCommand,
        repair: statementRepair('continue automations at the end of the log', resetCursor, 'cursor'),
      })
    } else if (config.services.trigger_evaluator.enabled && position?.oldest_unseen != null && position.oldest_unseen < late) {
      findings.push({
        severity: 'warning',
        what: `Automations are ${countText(behind, 'event')} behind; the oldest was received ${minutesSince(position.oldest_unseen, now)} minutes ago.`,
        why: 'They fire late.',
        fix: 'Start a server with background services, and look for errors of the trigger evaluator in its log.',
      })
    }
    if (!(await db.first(revision))) {
      findings.push({
        severity: 'error',
        what: 'The revision of automations is missing.',
        why: 'Servers do not notice new and changed automations.',
        fix: repairCommand,
        repair: statementRepair('add the revision of automations', restoreRevision, 'row', [now]),
      })
    }
    const firings = await db.first<{ at: Micros | null; count: number }>(oldestFiring)
    if (firings?.at != null && firings.at < late) {
      findings.push({
        severity: 'warning',
        what: `${countText(Number(firings.count), 'firing')} of automations wait for their actions; the oldest for ${minutesSince(firings.at, now)} minutes.`,
        why: 'Actions are executed late, or fail again and again.',
        fix: 'Start a server with background services, and look for errors of the automation actions in its log.',
      })
    }
    const overdue = await db.first<{ count: number; at: Micros | null }>(overdueSchedules, [late])
    if (Number(overdue?.count ?? 0) > 0 && overdue?.at != null) {
      findings.push({
        severity: 'warning',
        what: `${countText(Number(overdue.count), 'schedule')} should have been planned ${minutesSince(overdue.at, now)} minutes ago.`,
        why: 'Runs are missing.',
        fix: 'Start a server with background services; MILLRACE_SERVICES_SCHEDULER_ENABLED must not be off.',
      })
    }
    return findings
  },
}

const minutesSince = (at: Micros, now: Micros): number => Math.round(secondsBetween(at, now) / 60)
