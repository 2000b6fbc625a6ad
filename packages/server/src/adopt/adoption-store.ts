import type { Micros } from '../lib/time.ts'
import { type Db, statement, type Tx } from '../storage/database.ts'
import { type Row, toBoolean } from '../storage/tables.ts'
import type { Installation } from './source/identify.ts'

/** The adoption into this database: its source, its progress, and until when retention is on hold. */
export type AdoptionRow = Row<'adoption'>

const currentAdoption = statement('select * from adoption')
const steps = statement('select * from adoption_step')
const markFinished = statement('update adoption set finished = $1, kept_until = $1')
const liftHold = statement('update adoption set kept_until = null where finished is not null and kept_until is not null')

export const readAdoption = (db: Db): Promise<AdoptionRow | undefined> => db.first<AdoptionRow>(currentAdoption)

export const beginAdoption = (tx: Tx, { fingerprint, revision }: Installation, now: Micros): Promise<number> =>
  tx.insert('adoption', [{ number: 1, source: fingerprint, revision, started: now, finished: null, kept_until: now }])

export const finishAdoption = (tx: Tx, now: Micros): Promise<number> => tx.run(markFinished, [now])

/** Applies retention to adopted data. False when it was not on hold. */
export const liftRetentionHold = async (tx: Tx): Promise<boolean> => (await tx.run(liftHold)) > 0

export interface Progress {
  /** The key of the last copied row. */
  readonly last: string | null
  readonly copied: number
  readonly done: boolean
}

export const initialProgress: Progress = { last: null, copied: 0, done: false }

export async function readProgress(db: Db): Promise<Map<string, Progress>> {
  const rows = await db.all<Row<'adoption_step'>>(steps)
  return new Map(rows.map(({ name, last_key, copied, done }) => [name, { last: last_key, copied, done: toBoolean(done) }]))
}

/** Called in the transaction that writes the rows, so that a restart continues exactly. */
export const writeProgress = (tx: Tx, name: string, { last, copied, done }: Progress): Promise<number> =>
  tx.insert('adoption_step', [{ name, last_key: last, copied, done }], {
    onConflict: 'on conflict (name) do update set last_key = excluded.last_key, copied = excluded.copied, done = excluded.done',
  })
