import type { SuspendedAutomation } from '@millrace/contracts/automation.ts'
import { notFound } from '../errors.ts'
import type { ResourceLabels } from '../lib/event-record.ts'
import type { ServerEvent } from '../lib/server-events.ts'
import { addSeconds, formatTime, type Micros } from '../lib/time.ts'
import { type Db, statement, type Tx } from '../storage/database.ts'
import type { ServerContext } from '../storage/server-context.ts'
import type { Row } from '../storage/tables.ts'
import { automationResource } from './chain.ts'
import type { NamedAutomation } from './firing-body.ts'
import { bumpRevision, lockAutomation, removeTriggerState } from './store.ts'

/**
 * The suspension of an automation that fired too often. A suspended automation stays enabled, but its triggers are not evaluated; its queued actions still
 * run. The suspension ends after `automations.suspension_seconds`, or when a user resumes, enables, disables or changes the automation. Events before that
 * moment do not count.
 */
export type SuspensionRow = Row<'automation_suspension'>

const byAutomation = statement('select * from automation_suspension where automation_id = $1')
const all = statement(
  `select automation_suspension.*, automation.name from automation_suspension join automation on automation.id = automation_suspension.automation_id
    order by automation_suspension.since, automation_suspension.automation_id limit $1`,
)
const nextResumeTime = statement('select min(until) as until from automation_suspension')
const removeSuspension = statement('delete from automation_suspension where automation_id = $1 returning automation_id')
const removeDue = statement('delete from automation_suspension where until <= $1 returning automation_id')
const activate = statement((dialect) => `update automation set active_since = $2 where ${dialect.inList('id', '$1', 'uuid')}`)
const names = statement((dialect) => `select id, name from automation where ${dialect.inList('id', '$1', 'uuid')} order by name, id`)

/** Enough for a dashboard page. */
const listedMax = 200

export const readSuspension = (db: Db, id: string): Promise<SuspensionRow | undefined> => db.first<SuspensionRow>(byAutomation, [id])

/** When the next suspension ends; null when no automation is suspended. */
export const readNextResumeTime = async (db: Db): Promise<Micros | null> => (await db.first<{ until: Micros | null }>(nextResumeTime))?.until ?? null

export async function listSuspended(db: Db): Promise<SuspendedAutomation[]> {
  const rows = await db.all<SuspensionRow & { name: string }>(all, [listedMax])
  return rows.map((row) => ({ automation_id: row.automation_id, name: row.name, ...suspensionAnswer(row) }))
}

export const suspensionAnswer = ({ since, until, reason }: SuspensionRow) => ({ since: formatTime(since), until: formatTime(until), reason })

/** Suspends automations in the transaction of the evaluation step. One event reports up to 100 of them. */
export async function suspendAutomations(
  { config, newId }: ServerContext,
  tx: Tx,
  automations: readonly NamedAutomation[],
  reason: string,
  now: Micros,
): Promise<void> {
  const until = addSeconds(now, config.automations.suspension_seconds)
  const rows = automations.map(({ id }) => ({ automation_id: id, since: now, until, reason }))
  await tx.insert('automation_suspension', rows, { onConflict: 'on conflict (automation_id) do nothing' })
  await removeTriggerState(
    tx,
    automations.map(({ id }) => id),
  )
  await bumpRevision(tx)
  emitForAll(tx, 'suspended', automations, { reason, until: formatTime(until) }, now, newId)
}

/** Ends the suspensions whose time is over. Returns how many. */
export const resumeDue =
  ({ newId }: ServerContext, now: Micros) =>
  async (tx: Tx): Promise<number> => {
    const ids = (await tx.runReturning<{ automation_id: string }>(removeDue, [now])).map(({ automation_id }) => automation_id)
    if (ids.length === 0) return 0
    const list = tx.dialect.list(ids)
    await tx.run(activate, [list, now])
    await bumpRevision(tx)
    emitForAll(tx, 'resumed', await tx.all<NamedAutomation>(names, [list]), { reason: 'Suspension ended.' }, now, newId)
    return ids.length
  }

/** Resumes an automation. Does nothing when it is not suspended. */
export const resumeAutomation =
  ({ clock, newId }: ServerContext, id: string) =>
  async (tx: Tx): Promise<void> => {
    const row = await lockAutomation(tx, id)
    if (!row) throw notFound('Automation')
    const now = clock.now()
    if (!(await endSuspension(tx, row, now, newId))) return
    await tx.run(activate, [tx.dialect.list([id]), now])
    await bumpRevision(tx)
  }

/** Deletes the suspension of an automation; false when there is none. The caller updates the automation. */
export async function endSuspension(tx: Tx, automation: NamedAutomation, now: Micros, newId: () => string): Promise<boolean> {
  if ((await tx.runReturning(removeSuspension, [automation.id])).length === 0) return false
  emitForAll(tx, 'resumed', [automation], { reason: 'Resumed by a user.' }, now, newId)
  return true
}

/** Related resources per event. */
const relatedMax = 100

function emitForAll(
  tx: Tx,
  verb: 'suspended' | 'resumed',
  automations: readonly NamedAutomation[],
  payload: object,
  now: Micros,
  newId: () => string,
): void {
  for (let from = 0; from < automations.length; from += relatedMax) {
    const related = automations.slice(from, from + relatedMax).map(
      ({ id, name }): ResourceLabels => ({
        'prefect.resource.id': automationResource(id),
        'prefect.resource.role': 'automation',
        'prefect.resource.name': name,
      }),
    )
    const event: ServerEvent = {
      id: newId(),
      occurred: now,
      event: `millrace.automation.${verb}`,
      resource: { 'prefect.resource.id': 'millrace.automation-limits', 'prefect.resource.name': 'Automation limits' },
      related,
      payload: JSON.stringify(payload),
      follows: null,
    }
    tx.emit(event)
  }
}
