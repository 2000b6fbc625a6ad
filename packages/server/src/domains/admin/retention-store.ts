import type { Micros } from '../../lib/time.ts'
import type { Db, Tx } from '../../storage/database.ts'
import { statement } from '../../storage/database.ts'
import type { Row } from '../../storage/tables.ts'

export type RetentionKind = 'events' | 'logs' | 'flow_runs'

const records = statement('select * from retention')
const adoptedUntil = statement('select kept_until from adoption')

export const readRetention = (db: Db): Promise<Row<'retention'>[]> => db.all<Row<'retention'>>(records)

/** What was taken over from another installation is no younger than this, and is not removed; null where nothing is spared. */
export const readAdoptedUntil = async (db: Db): Promise<Micros | null> =>
  (await db.first<{ kept_until: Micros | null }>(adoptedUntil))?.kept_until ?? null

/** Notes that a pass has come to its end. */
export const recordTrim = (tx: Tx, kind: RetentionKind, count: number, now: Micros): Promise<number> =>
  tx.insert('retention', [{ kind, trimmed: count, last_run: now, last_trimmed: count }], {
    onConflict: `on conflict (kind) do update
      set trimmed = retention.trimmed + excluded.trimmed, last_run = excluded.last_run, last_trimmed = excluded.last_trimmed`,
  })
