import type { Automation, AutomationFilter, AutomationSort } from '@millrace/contracts/automation.ts'
import { sql } from 'kysely'
import { type Actor, actorColumn } from '../lib/actor.ts'
import { rawJson } from '../lib/json.ts'
import { formatTime, type Micros } from '../lib/time.ts'
import { type Db, statement, type Tx } from '../storage/database.ts'
import { type Row, toBoolean } from '../storage/tables.ts'
import { automationOrder, automationWhere } from './filter.ts'

export type AutomationRow = Row<'automation'>

export const automationAnswer = (row: AutomationRow): Automation => ({
  name: row.name,
  description: row.description,
  enabled: toBoolean(row.enabled),
  tags: rawJson(row.tags),
  trigger: rawJson(row.trigger),
  actions: rawJson(row.actions),
  actions_on_trigger: rawJson(row.actions_on_trigger),
  actions_on_resolve: rawJson(row.actions_on_resolve),
  id: row.id,
  created: formatTime(row.created),
  updated: formatTime(row.updated),
})

const byId = statement('select * from automation where id = $1')
const byIdForUpdate = statement((dialect) => `select * from automation where id = $1 ${dialect.forUpdate}`)
const allEnabled = statement(
  `select automation.* from automation where enabled = $1
    and not exists (select 1 from automation_suspension where automation_suspension.automation_id = automation.id) order by id`,
)
const byResource = statement(
  `select automation.* from automation join automation_resource on automation_resource.automation_id = automation.id
    where automation_resource.resource_id = $1 order by automation.name, automation.id`,
)
const ownedBy = statement(
  `select automation.* from automation join automation_resource on automation_resource.automation_id = automation.id
    where automation_resource.resource_id = $1 and automation_resource.owned = $2 and automation.created <= $3`,
)
const remove = statement((dialect) => `delete from automation where ${dialect.inList('id', '$1', 'uuid')}`)
const removeStatus = statement((dialect) => `delete from automation_status where ${dialect.inList('automation_id', '$1', 'uuid')}`)
const removeBuckets = statement((dialect) => `delete from automation_bucket where ${dialect.inList('automation_id', '$1', 'uuid')}`)
const removeChildren = statement((dialect) => `delete from automation_child_firing where ${dialect.inList('automation_id', '$1', 'uuid')}`)
const removeDeploymentRelations = statement(
  `delete from automation_resource where automation_id = $1 and owned = $2 and substr(resource_id, 1, 19) = 'prefect.deployment.'`,
)
const incrementRevision = statement('update automation_revision set revision = revision + 1')

export const readAutomation = (db: Db, id: string): Promise<AutomationRow | undefined> => db.first<AutomationRow>(byId, [id])
export const lockAutomation = (tx: Tx, id: string): Promise<AutomationRow | undefined> => tx.first<AutomationRow>(byIdForUpdate, [id])
export const readEnabledAutomations = (db: Db): Promise<AutomationRow[]> => db.all<AutomationRow>(allEnabled, [true])
export const readRelatedAutomations = (db: Db, resourceId: string): Promise<AutomationRow[]> => db.all<AutomationRow>(byResource, [resourceId])
export const readOwnedAutomations = (db: Db, resourceId: string, createdUntil: Micros): Promise<AutomationRow[]> =>
  db.all<AutomationRow>(ownedBy, [resourceId, true, createdUntil])

/** The SQL of a number that increases with every change of an automation. Read it before the automations, so that they are never older than the revision. */
export const revisionOfAutomations = '(select revision from automation_revision)'

export const bumpRevision = (tx: Tx): Promise<number> => tx.run(incrementRevision)

export async function insertAutomation(tx: Tx, row: AutomationRow): Promise<void> {
  await tx.insert('automation', [row])
  await bumpRevision(tx)
}

export async function updateAutomation(tx: Tx, row: Partial<AutomationRow>): Promise<void> {
  await tx.update('automation', [row])
  await bumpRevision(tx)
}

/** Keeps who saved the trigger and the actions, in a table of its own: servers of the version before write all columns of an automation that they have read. */
export const saveActor = (tx: Tx, id: string, actor: Actor): Promise<number> =>
  tx.insert('automation_actor', [{ automation_id: id, actor: actorColumn(actor) }], {
    onConflict: 'on conflict (automation_id) do update set actor = excluded.actor',
  })

export async function deleteAutomations(tx: Tx, ids: readonly string[]): Promise<void> {
  const list = tx.dialect.list(ids)
  await removeTriggerState(tx, ids)
  await tx.run(removeStatus, [list])
  await tx.run(remove, [list])
  await bumpRevision(tx)
}

/** Deletes the counts and child firings of the triggers. */
export async function removeTriggerState(tx: Tx, ids: readonly string[]): Promise<void> {
  const list = tx.dialect.list(ids)
  await tx.run(removeBuckets, [list])
  await tx.run(removeChildren, [list])
}

/** Replaces the deployments that an automation is related to. Its owner stays. */
export async function relateToDeployments(tx: Tx, id: string, deploymentIds: readonly string[]): Promise<void> {
  await tx.run(removeDeploymentRelations, [id, false])
  const rows = [...new Set(deploymentIds)].map((deployment) => ({ automation_id: id, resource_id: `prefect.deployment.${deployment}`, owned: false }))
  await tx.insert('automation_resource', rows, { onConflict: 'on conflict (automation_id, resource_id) do nothing' })
}

export async function setOwner(tx: Tx, id: string, resourceId: string): Promise<void> {
  const onConflict = 'on conflict (automation_id, resource_id) do update set owned = excluded.owned'
  await tx.insert('automation_resource', [{ automation_id: id, resource_id: resourceId, owned: true }], { onConflict })
}

interface ListOptions {
  readonly sort: AutomationSort
  readonly limit: number
  readonly offset: number
}

export async function listAutomations(db: Db, filter: AutomationFilter | null, options: ListOptions): Promise<AutomationRow[]> {
  const query = sql<AutomationRow>`select automation.* from automation where ${automationWhere(db.dialect, filter)} order by ${automationOrder[options.sort]} limit ${options.limit} offset ${options.offset}`
  return (await query.execute(db.kysely)).rows
}

export async function countAutomations(db: Db, filter: AutomationFilter | null): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from automation where ${automationWhere(db.dialect, filter)}`.execute(
    db.kysely,
  )
  return rows[0]?.count ?? 0
}
