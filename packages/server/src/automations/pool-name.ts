import { type Db, statement } from '../storage/database.ts'

const poolNameById = statement('select name from work_pool where id = $1')

/** Verbs on pools go by their names; events and actions name pools by their ids. */
export const readPoolName = async (db: Db, id: string): Promise<string | undefined> => (await db.first<{ name: string }>(poolNameById, [id]))?.name
