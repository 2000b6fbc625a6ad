import type { DeploymentSort } from '@millrace/contracts/deployment.ts'
import { type RawBuilder, sql } from 'kysely'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { Row } from '../../storage/tables.ts'
import { deploymentsWhere, type RelatedFilters } from '../relations.ts'
import { deploymentOrder } from './filter.ts'

export type DeploymentRow = Row<'deployment'>
export type ScheduleRow = Row<'deployment_schedule'>

/** A deployment with the names of its flow, queue and pool, for responses and events. */
export interface Deployment extends DeploymentRow {
  readonly flow_name: string
  readonly queue_name: string | null
  readonly pool_id: string | null
  readonly pool_name: string | null
  readonly pool_type: string | null
}

const columns = `deployment.*, flow.name as flow_name, work_queue.name as queue_name,
  work_pool.id as pool_id, work_pool.name as pool_name, work_pool.type as pool_type`
const joins = `join flow on flow.id = deployment.flow_id
  left join work_queue on work_queue.id = deployment.work_queue_id
  left join work_pool on work_pool.id = work_queue.work_pool_id`
const selectWhere = `select ${columns} from deployment ${joins} where`

const byId = statement(`${selectWhere} deployment.id = $1`)
const byName = statement(`${selectWhere} flow.name = $1 and deployment.name = $2`)
const byIds = statement((dialect) => `${selectWhere} ${dialect.inList('deployment.id', '$1', 'uuid')} order by deployment.id`)
const lockById = statement((dialect) => `select id from deployment where id = $1 ${dialect.forUpdate}`)
const lockByName = statement((dialect) => `select id from deployment where flow_id = $1 and name = $2 ${dialect.forUpdate}`)
const lockByIds = statement((dialect) => `select id from deployment where ${dialect.inList('id', '$1', 'uuid')} order by id ${dialect.forUpdate}`)
const remove = statement((dialect) => `delete from deployment where ${dialect.inList('id', '$1', 'uuid')}`)

export const readDeployment = (db: Db, id: string): Promise<Deployment | undefined> => db.first<Deployment>(byId, [id])
export const readDeploymentByName = (db: Db, flowName: string, name: string): Promise<Deployment | undefined> =>
  db.first<Deployment>(byName, [flowName, name])
export const readDeployments = (db: Db, ids: readonly string[]): Promise<Deployment[]> => db.all<Deployment>(byIds, [db.dialect.list(ids)])

/**
 * Reads a deployment and locks it until the commit. Changes of a deployment and of its schedules, and the creation of planned runs, hold
 * this lock: no run outlives its schedule, and no time is planned twice.
 */
export async function lockDeployment(tx: Tx, id: string): Promise<Deployment | undefined> {
  return (await tx.first(lockById, [id])) ? readDeployment(tx, id) : undefined
}

export async function lockDeploymentByName(tx: Tx, flowId: string, name: string): Promise<Deployment | undefined> {
  const row = await tx.first<{ id: string }>(lockByName, [flowId, name])
  return row && readDeployment(tx, row.id)
}

export async function lockDeployments(tx: Tx, ids: readonly string[]): Promise<Deployment[]> {
  const rows = await tx.all<{ id: string }>(lockByIds, [tx.dialect.list(ids)])
  return rows.length === 0
    ? []
    : readDeployments(
        tx,
        rows.map(({ id }) => id),
      )
}

/** Returns false if the flow has a deployment with this name. */
export const insertDeployment = async (tx: Tx, row: DeploymentRow): Promise<boolean> =>
  (await tx.insert('deployment', [row], { onConflict: 'on conflict (flow_id, name) do nothing' })) > 0

export const updateDeploymentRow = (tx: Tx, row: Partial<DeploymentRow>): Promise<number> => tx.update('deployment', [row])
export const deleteDeploymentRows = (tx: Tx, ids: readonly string[]): Promise<number> => tx.run(remove, [tx.dialect.list(ids)])

interface ListOptions {
  readonly sort: DeploymentSort
  readonly limit: number
  readonly offset: number
}

export const listDeployments = (db: Db, filters: RelatedFilters, options: ListOptions): Promise<Deployment[]> =>
  select<Deployment>(db, sql.raw(columns), sql.raw(joins), filters, options)

export async function listDeploymentIds(db: Db, filters: RelatedFilters, limit: number): Promise<string[]> {
  const rows = await select<{ id: string }>(db, sql`deployment.id`, sql``, filters, { sort: 'NAME_ASC', limit, offset: 0 })
  return rows.map(({ id }) => id)
}

async function select<R>(
  db: Db,
  selection: RawBuilder<unknown>,
  joinClause: RawBuilder<unknown>,
  filters: RelatedFilters,
  options: ListOptions,
): Promise<R[]> {
  const where = deploymentsWhere(db.dialect, filters)
  const query = sql<R>`select ${selection} from deployment ${joinClause} where ${where} order by ${deploymentOrder[options.sort]} limit ${options.limit} offset ${options.offset}`
  return (await query.execute(db.kysely)).rows
}

export async function countDeployments(db: Db, filters: RelatedFilters): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from deployment where ${deploymentsWhere(db.dialect, filters)}`.execute(
    db.kysely,
  )
  return rows[0]?.count ?? 0
}

const schedulesOfDeployments = statement(
  (dialect) => `select * from deployment_schedule where ${dialect.inList('deployment_id', '$1', 'uuid')} order by updated desc, id desc`,
)
const removeSchedules = statement('delete from deployment_schedule where deployment_id = $1')
const removeSchedule = statement('delete from deployment_schedule where deployment_id = $1 and id = $2')

/** Schedules of the deployments, last updated first. */
export const readSchedules = (db: Db, deploymentIds: readonly string[]): Promise<ScheduleRow[]> =>
  db.all<ScheduleRow>(schedulesOfDeployments, [db.dialect.list(deploymentIds)])

export const insertSchedules = (tx: Tx, rows: readonly ScheduleRow[]): Promise<number> => tx.insert('deployment_schedule', rows)
export const updateSchedules = (tx: Tx, rows: readonly Partial<ScheduleRow>[]): Promise<number> => tx.update('deployment_schedule', rows)
export const deleteSchedules = (tx: Tx, deploymentId: string): Promise<number> => tx.run(removeSchedules, [deploymentId])
export const deleteSchedule = (tx: Tx, deploymentId: string, id: string): Promise<number> => tx.run(removeSchedule, [deploymentId, id])
