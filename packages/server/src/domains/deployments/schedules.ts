import { type Db, statement, type Tx } from '../../storage/database.ts'
import type { Row } from '../../storage/tables.ts'

export type ScheduleRow = Row<'deployment_schedule'>

/** The one that was changed last comes first. */
const order = 'order by updated desc, id desc'
const ofDeployments = statement((dialect) => `select * from deployment_schedule where ${dialect.inList('deployment_id', '$1', 'uuid')} ${order}`)
const removeAll = statement('delete from deployment_schedule where deployment_id = $1')
const removeOne = statement('delete from deployment_schedule where deployment_id = $1 and id = $2')

export const readSchedules = (db: Db, deploymentIds: readonly string[]): Promise<ScheduleRow[]> =>
  db.all<ScheduleRow>(ofDeployments, [db.dialect.list(deploymentIds)])

export const insertSchedules = (tx: Tx, rows: readonly ScheduleRow[]): Promise<number> => tx.insert('deployment_schedule', rows)
export const updateSchedules = (tx: Tx, rows: readonly Partial<ScheduleRow>[]): Promise<number> => tx.update('deployment_schedule', rows)
export const deleteSchedules = (tx: Tx, deploymentId: string): Promise<number> => tx.run(removeAll, [deploymentId])
export const deleteSchedule = (tx: Tx, deploymentId: string, id: string): Promise<number> => tx.run(removeOne, [deploymentId, id])
