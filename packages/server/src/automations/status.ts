import type { AutomationStatus } from '@millrace/contracts/automation.ts'
import { notFound } from '../errors.ts'
import { formatNullableTime } from '../lib/time.ts'
import { type Db, statement, type Tx } from '../storage/database.ts'
import { type Row, toBoolean } from '../storage/tables.ts'
import { readAutomation } from './store.ts'
import { readSuspension, suspensionAnswer } from './suspension.ts'

type StatusRow = Row<'automation_status'>

const byAutomation = statement('select * from automation_status where automation_id = $1')
const counts = statement(
  `select (select count(*) from automation_bucket where automation_id = $1) as open_periods,
    (select count(*) from automation_invocation where automation_id = $2) as waiting_actions`,
)

/** What became of an automation of late: the answer to "why did it not fire?". */
export async function readStatus(db: Db, id: string): Promise<AutomationStatus> {
  const automation = await readAutomation(db, id)
  if (!automation) throw notFound('Automation')
  const enabled = toBoolean(automation.enabled)
  const status = await db.first<StatusRow>(byAutomation, [id])
  const known = (await db.first<{ open_periods: number; waiting_actions: number }>(counts, [id, id])) ?? { open_periods: 0, waiting_actions: 0 }
  const suspension = await readSuspension(db, id)
  const asked = status ? status.reason : 'No event has matched its trigger yet'
  const reason = !enabled ? 'It is switched off' : suspension ? `It is suspended. ${suspension.reason}` : asked
  return {
    automation_id: id,
    enabled,
    last_evaluated: formatNullableTime(status?.last_evaluated ?? null),
    last_fired: formatNullableTime(status?.last_fired ?? null),
    reason,
    suspended: suspension ? suspensionAnswer(suspension) : null,
    ...known,
  }
}

/** The last word on each; a firing is remembered until the next. */
export const writeStatuses = (tx: Tx, rows: readonly StatusRow[]): Promise<number> =>
  tx.insert('automation_status', rows, {
    onConflict: `on conflict (automation_id) do update set last_evaluated = excluded.last_evaluated,
      last_fired = coalesce(excluded.last_fired, automation_status.last_fired), reason = excluded.reason`,
  })
