import type { AutomationStatus } from '@millrace/contracts/automation.ts'
import { notFound } from '../errors.ts'
import { formatNullableTime } from '../lib/time.ts'
import { type Db, statement, type Tx } from '../storage/database.ts'
import { type Row, toBoolean } from '../storage/tables.ts'
import { readAutomation } from './store.ts'
import { readSuspension, suspensionAnswer } from './suspension.ts'

type StatusRow = Row<'automation_status'>

const byAutomation = statement('select * from automation_status where automation_id = $1')
const countsByAutomation = statement(
  `select (select count(*) from automation_bucket where automation_id = $1 and slot not like '%/held') as open_periods,
    (select count(*) from automation_invocation where automation_id = $2) as waiting_actions`,
)

/** When an automation was last evaluated and fired, and why it did not fire. */
export async function readStatus(db: Db, id: string): Promise<AutomationStatus> {
  const automation = await readAutomation(db, id)
  if (!automation) throw notFound('Automation')
  const enabled = toBoolean(automation.enabled)
  const status = await db.first<StatusRow>(byAutomation, [id])
  const counts = (await db.first<{ open_periods: number; waiting_actions: number }>(countsByAutomation, [id, id])) ?? {
    open_periods: 0,
    waiting_actions: 0,
  }
  const suspension = await readSuspension(db, id)
  const evaluated = status ? status.reason : 'No event has matched the trigger yet.'
  const reason = !enabled ? 'Disabled.' : suspension ? `Suspended. ${suspension.reason}` : evaluated
  return {
    automation_id: id,
    enabled,
    last_evaluated: formatNullableTime(status?.last_evaluated ?? null),
    last_fired: formatNullableTime(status?.last_fired ?? null),
    reason,
    suspended: suspension ? suspensionAnswer(suspension) : null,
    ...counts,
  }
}

/** Overwrites the status, but keeps the time of the last firing until the next. */
export const writeStatuses = (tx: Tx, rows: readonly StatusRow[]): Promise<number> =>
  tx.insert('automation_status', rows, {
    onConflict: `on conflict (automation_id) do update set last_evaluated = excluded.last_evaluated,
      last_fired = coalesce(excluded.last_fired, automation_status.last_fired), reason = excluded.reason`,
  })
