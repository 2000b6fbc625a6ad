import { createHash } from 'node:crypto'
import type { EventTrigger } from '@millrace/contracts/trigger.ts'
import type { Micros } from '../lib/time.ts'
import { statement, type Tx } from '../storage/database.ts'
import { type Row, toBoolean } from '../storage/tables.ts'
import type { RegisteredTrigger } from './loaded-automations.ts'
import type { Bucket } from './triggers/event.ts'

export type BucketRow = Row<'automation_bucket'>

const bySlots = statement((dialect) => `select * from automation_bucket where ${dialect.inList('slot', '$1', 'text')}`)
const dueBuckets = statement('select * from automation_bucket where proactive = $1 and closes <= $2 order by closes, slot limit $3')
const removeClosed = statement('delete from automation_bucket where proactive = $1 and closes <= $2')
const removeBySlots = statement((dialect) => `delete from automation_bucket where ${dialect.inList('slot', '$1', 'text')}`)

/** The key of the bucket for a combination of `for_each` values. The values can be long, so the key contains their hash. */
export function bucketSlot({ trigger }: RegisteredTrigger<EventTrigger>, key: readonly string[]): string {
  if (key.length === 0) return trigger.id
  return `${trigger.id}/${createHash('sha256').update(JSON.stringify(key)).digest('hex').slice(0, 32)}`
}

export const readBucketRows = async (tx: Tx, slots: readonly string[]): Promise<BucketRow[]> =>
  slots.length === 0 ? [] : tx.all<BucketRow>(bySlots, [tx.dialect.list([...new Set(slots)])])

/** Inserts rows, and updates those whose slots are stored. */
export async function writeBucketRows(tx: Tx, rows: readonly BucketRow[], stored: ReadonlySet<string>): Promise<void> {
  await tx.insert(
    'automation_bucket',
    rows.filter(({ slot }) => !stored.has(slot)),
  )
  await tx.update(
    'automation_bucket',
    rows.filter(({ slot }) => stored.has(slot)),
    { key: 'slot' },
  )
}

/** The buckets of an evaluation step: read together, changed in memory, written together. */
export class BucketBuffer {
  readonly #buckets: Map<string, Bucket>
  readonly #stored: Set<string>
  readonly #changed = new Map<string, BucketRow | null>()

  private constructor(rows: readonly BucketRow[]) {
    this.#buckets = new Map(rows.map((row) => [row.slot, toBucket(row)]))
    this.#stored = new Set(rows.map(({ slot }) => slot))
  }

  static async read(tx: Tx, slots: readonly string[]): Promise<BucketBuffer> {
    return new BucketBuffer(await readBucketRows(tx, slots))
  }

  get(slot: string): Bucket | undefined {
    return this.#buckets.get(slot)
  }

  set(slot: string, { automation, trigger }: RegisteredTrigger<EventTrigger>, key: readonly string[], bucket: Bucket | null): void {
    if (bucket === (this.#buckets.get(slot) ?? null)) return
    if (!bucket) {
      this.#buckets.delete(slot)
      this.#changed.set(slot, null)
      return
    }
    this.#buckets.set(slot, bucket)
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
    const removed = [...this.#changed].flatMap(([slot, row]) => (row === null && this.#stored.has(slot) ? [slot] : []))
    const rows = [...this.#changed.values()].filter((row) => row !== null)
    if (removed.length > 0) await removeBuckets(tx, removed)
    await writeBucketRows(tx, rows, this.#stored)
  }
}

export interface DueBucket {
  readonly slot: string
  readonly triggerId: string
  readonly key: readonly string[]
  readonly bucket: Bucket
}

/** Buckets of proactive triggers whose period is over, oldest first. */
export async function readDueBuckets(tx: Tx, now: Micros, limit: number): Promise<DueBucket[]> {
  const rows = await tx.all<BucketRow>(dueBuckets, [true, now, limit])
  return rows.map((row) => ({ slot: row.slot, triggerId: row.trigger_id, key: JSON.parse(row.labels) as string[], bucket: toBucket(row) }))
}

export const removeBuckets = (tx: Tx, slots: readonly string[]): Promise<number> => tx.run(removeBySlots, [tx.dialect.list(slots)])

/** Deletes ended buckets of reactive triggers. They need no evaluation. */
export const sweepBuckets = (tx: Tx, closedUntil: Micros): Promise<number> => tx.run(removeClosed, [false, closedUntil])

/** The SQL of whether a bucket ended by a time, of proactive triggers or of reactive ones. */
export const hasEndedBucket = (isProactive: string, until: string): string =>
  `exists (select 1 from automation_bucket where proactive = ${isProactive} and closes <= ${until})`

const toBucket = ({ opened, closes, count, last_event, proactive }: BucketRow): Bucket => ({
  start: opened,
  end: closes,
  count,
  lastEvent: toBoolean(proactive) ? last_event : null,
})
