import { createHash } from 'node:crypto'
import type { EventTrigger } from '@millrace/contracts/trigger.ts'
import type { Micros } from '../lib/time.ts'
import { type Db, statement, type Tx } from '../storage/database.ts'
import { type Row, toBoolean } from '../storage/tables.ts'
import type { Placed } from './loaded-automations.ts'
import type { Bucket } from './triggers/event.ts'

type BucketRow = Row<'automation_bucket'>

const bySlots = statement((dialect) => `select * from automation_bucket where ${dialect.inList('slot', '$1', 'text')}`)
const due = statement('select * from automation_bucket where proactive = $1 and closes <= $2 order by closes, slot limit $3')
const anyDue = statement('select 1 as one from automation_bucket where proactive = $1 and closes <= $2 limit 1')
const sweep = statement('delete from automation_bucket where proactive = $1 and closes <= $2')
const remove = statement((dialect) => `delete from automation_bucket where ${dialect.inList('slot', '$1', 'text')}`)

/** Where a trigger keeps the count for a set of label values. Values may be of any length: their digest stands for them. */
export function slotOf({ trigger }: Placed<EventTrigger>, key: readonly string[]): string {
  if (key.length === 0) return trigger.id
  return `${trigger.id}/${createHash('sha256').update(JSON.stringify(key)).digest('hex').slice(0, 32)}`
}

/** The counts of a step: read together, changed in memory, written together. */
export class BucketBook {
  readonly #kept: Map<string, Bucket>
  readonly #known: Set<string>
  readonly #changed = new Map<string, BucketRow | null>()

  private constructor(rows: readonly BucketRow[]) {
    this.#kept = new Map(rows.map((row) => [row.slot, bucketOf(row)]))
    this.#known = new Set(rows.map(({ slot }) => slot))
  }

  static async open(tx: Tx, slots: readonly string[]): Promise<BucketBook> {
    return new BucketBook(slots.length === 0 ? [] : await tx.all<BucketRow>(bySlots, [tx.dialect.list([...new Set(slots)])]))
  }

  get(slot: string): Bucket | undefined {
    return this.#kept.get(slot)
  }

  set(slot: string, { automation, trigger }: Placed<EventTrigger>, key: readonly string[], bucket: Bucket | null): void {
    if (bucket === (this.#kept.get(slot) ?? null)) return
    if (!bucket) {
      this.#kept.delete(slot)
      this.#changed.set(slot, null)
      return
    }
    this.#kept.set(slot, bucket)
    this.#changed.set(slot, {
      slot,
      automation_id: automation.id,
      trigger_id: trigger.id,
      labels: JSON.stringify(key),
      proactive: trigger.posture === 'Proactive',
      opened: bucket.start,
      closes: bucket.end,
      count: bucket.count,
      last_event: bucket.lastEvent,
    })
  }

  async write(tx: Tx): Promise<void> {
    const gone = [...this.#changed].flatMap(([slot, row]) => (row === null && this.#known.has(slot) ? [slot] : []))
    const rows = [...this.#changed.values()].filter((row) => row !== null)
    if (gone.length > 0) await removeBuckets(tx, gone)
    await tx.insert(
      'automation_bucket',
      rows.filter(({ slot }) => !this.#known.has(slot)),
    )
    await tx.update(
      'automation_bucket',
      rows.filter(({ slot }) => this.#known.has(slot)),
      { key: 'slot' },
    )
  }
}

export interface DueBucket {
  readonly slot: string
  readonly triggerId: string
  readonly key: readonly string[]
  readonly bucket: Bucket
}

/** Periods that are over, of triggers that fire when something does not happen; the oldest first. */
export async function readDueBuckets(tx: Tx, now: Micros, limit: number): Promise<DueBucket[]> {
  const rows = await tx.all<BucketRow>(due, [true, now, limit])
  return rows.map((row) => ({ slot: row.slot, triggerId: row.trigger_id, key: JSON.parse(row.labels) as string[], bucket: bucketOf(row) }))
}

export const removeBuckets = (tx: Tx, slots: readonly string[]): Promise<number> => tx.run(remove, [tx.dialect.list(slots)])

/** Periods of triggers that react need no look when they end: they are removed a while later. */
export const sweepBuckets = (tx: Tx, closedUntil: Micros): Promise<number> => tx.run(sweep, [false, closedUntil])

export const isAnyDue = async (db: Db, now: Micros): Promise<boolean> => (await db.first(anyDue, [true, now])) !== undefined
export const isAnyToSweep = async (db: Db, closedUntil: Micros): Promise<boolean> => (await db.first(anyDue, [false, closedUntil])) !== undefined

const bucketOf = ({ opened, closes, count, last_event, proactive }: BucketRow): Bucket => ({
  start: opened,
  end: closes,
  count,
  lastEvent: toBoolean(proactive) ? last_event : null,
})
