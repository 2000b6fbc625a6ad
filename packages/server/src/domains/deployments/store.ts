import type { DeploymentSort } from '@millrace/contracts/deployment.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Micros } from '../../lib/time.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { Row } from '../../storage/tables.ts'
import { deploymentsWhere, type RelatedFilters } from '../relations.ts'
import { deploymentOrder } from './filter.ts'

export type DeploymentRow = Row<'deployment'>

/** A deployment with what its answers and events tell of its flow, queue, pool and limit. */
export interface Deployment extends DeploymentRow {
  readonly flow_name: string
  readonly queue_name: string | null
  readonly pool_id: string | null
  readonly pool_name: string | null
  readonly pool_type: string | null
  readonly limit_name: string | null
  readonly limit_created: Micros | null
  readonly limit_updated: Micros | null
  readonly limit_active: boolean | number | null
  readonly limit_slots: number | null
  readonly limit_decay: number | null
  /** Slots of the limit that are taken just now. */
  readonly limit_used: number
}

const columns = `deployment.*, flow.name as flow_name, work_queue.name as queue_name,
  work_pool.id as pool_id, work_pool.name as pool_name, work_pool.type as pool_type,
  concurrency_limit.name as limit_name, concurrency_limit.created as limit_created, concurrency_limit.updated as limit_updated,
  concurrency_limit.active as limit_active, concurrency_limit.slots as limit_slots, concurrency_limit.slot_decay_per_second as limit_decay`
const joins = `join flow on flow.id = deployment.flow_id
  left join work_queue on work_queue.id = deployment.work_queue_id
  left join work_pool on work_pool.id = work_queue.work_pool_id
  left join concurrency_limit on concurrency_limit.id = deployment.concurrency_limit_id`
/** Begins with the time, so that what follows may have values of its own. */
const used = (now: string) => `(select cast(coalesce(sum(lease.slots), 0) as bigint) from concurrency_lease lease
  where lease.limit_id = deployment.concurrency_limit_id and (lease.expires is null or lease.expires > ${now})) as limit_used`

const found = (where: string) => `select ${columns}, ${used('$1')} from deployment ${joins} where ${where}`
const byId = statement(found('deployment.id = $2'))
const byName = statement(found('flow.name = $2 and deployment.name = $3'))
const byIds = statement((dialect) => `${found(dialect.inList('deployment.id', '$2', 'uuid'))} order by deployment.id`)
const lockById = statement((dialect) => `select id from deployment where id = $1 ${dialect.forUpdate}`)
const lockByName = statement((dialect) => `select id from deployment where flow_id = $1 and name = $2 ${dialect.forUpdate}`)
const lockByIds = statement((dialect) => `select id from deployment where ${dialect.inList('id', '$1', 'uuid')} order by id ${dialect.forUpdate}`)
const remove = statement((dialect) => `delete from deployment where ${dialect.inList('id', '$1', 'uuid')}`)

export const readDeployment = (db: Db, id: string, now: Micros): Promise<Deployment | undefined> => db.first<Deployment>(byId, [now, id])
export const readDeploymentByName = (db: Db, flowName: string, name: string, now: Micros): Promise<Deployment | undefined> =>
  db.first<Deployment>(byName, [now, flowName, name])
export const readDeployments = (db: Db, ids: readonly string[], now: Micros): Promise<Deployment[]> =>
  db.all<Deployment>(byIds, [now, db.dialect.list(ids)])

/**
 * Reads a deployment and holds it to the commit. Whoever changes a deployment or its schedules, and whoever makes runs of its
 * schedules, does so under this lock: so no run outlives the schedule it came from, and no instant is planned twice.
 */
export async function lockDeployment(tx: Tx, id: string, now: Micros): Promise<Deployment | undefined> {
  return (await tx.first(lockById, [id])) ? readDeployment(tx, id, now) : undefined
}

export async function lockDeploymentByName(tx: Tx, flowId: string, name: string, now: Micros): Promise<Deployment | undefined> {
  const row = await tx.first<{ id: string }>(lockByName, [flowId, name])
  return row && readDeployment(tx, row.id, now)
}

export async function lockDeployments(tx: Tx, ids: readonly string[], now: Micros): Promise<Deployment[]> {
  const rows = await tx.all<{ id: string }>(lockByIds, [tx.dialect.list(ids)])
  return rows.length === 0 ? [] : readDeployments(tx, rows.map(({ id }) => id), now)
}

/** False when the flow has another deployment of the name. */
export const insertDeployment = async (tx: Tx, row: DeploymentRow): Promise<boolean> =>
  (await tx.insert('deployment', [row], { onConflict: 'on conflict (flow_id, name) do nothing' })) > 0

export const updateDeploymentRow = (tx: Tx, row: Partial<DeploymentRow>): Promise<number> => tx.update('deployment', [row])
export const deleteDeploymentRows = (tx: Tx, ids: readonly string[]): Promise<number> => tx.run(remove, [tx.dialect.list(ids)])

interface ListOptions {
  readonly sort: DeploymentSort
  readonly limit: number
  readonly offset: number
}

export function listDeployments(db: Db, filters: RelatedFilters, options: ListOptions, now: Micros): Promise<Deployment[]> {
  const inUse = sql`(select cast(coalesce(sum(lease.slots), 0) as bigint) from concurrency_lease lease
    where lease.limit_id = deployment.concurrency_limit_id and (lease.expires is null or lease.expires > ${now})) as limit_used`
  return select<Deployment>(db, sql`${sql.raw(columns)}, ${inUse}`, sql.raw(joins), filters, options)
}

export async function listDeploymentIds(db: Db, filters: RelatedFilters, limit: number): Promise<string[]> {
  const rows = await select<{ id: string }>(db, sql`deployment.id`, sql``, filters, { sort: 'NAME_ASC', limit, offset: 0 })
  return rows.map(({ id }) => id)
}

async function select<R>(db: Db, what: RawBuilder<unknown>, joined: RawBuilder<unknown>, filters: RelatedFilters, options: ListOptions): Promise<R[]> {
  const where = deploymentsWhere(db.dialect, filters)
  const query = sql<R>`select ${what} from deployment ${joined} where ${where} order by ${deploymentOrder[options.sort]} limit ${options.limit} offset ${options.offset}`
  return (await query.execute(db.kysely)).rows
}

export async function countDeployments(db: Db, filters: RelatedFilters): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from deployment where ${deploymentsWhere(db.dialect, filters)}`.execute(db.kysely)
  return rows[0]?.count ?? 0
}
