import { type Db, statement } from '../storage/database.ts'

const byId = statement('select name from work_pool where id = $1')

/** Verbs on pools go by their names; events and actions name pools by their ids. */
export const poolNameOf = async (db: Db, id: string): Promise<string | undefined> => (await db.first<{ name: string }>(byId, [id]))?.name
