import type { EventTrigger } from '@millrace/contracts/trigger.ts'
import { addSeconds, type Micros } from '../lib/time.ts'
import type { Tx } from '../storage/database.ts'
import { type BucketRow, readBucketRows, writeBucketRows } from './bucket-buffer.ts'
import type { RegisteredTrigger } from './loaded-automations.ts'

/** An event may wait this long for its predecessor, and can then start a period over events that occurred as long before it. */
const heldSeconds = 2 * 15 * 60

/** More expected events in a period than any threshold counts in practice. The newest are kept. */
const heldMax = 200

/** A row of `automation_bucket` like that of a reactive trigger, so that ended ones are removed with these. */
const heldSlot = (slot: string): string => `${slot}/held`

/** Only a proactive trigger with `after` can see its expected event before the event that starts the period. */
export const holdsEvents = ({ posture, after }: EventTrigger): boolean => posture === 'Proactive' && after.length > 0

/**
 * The times of expected events that proactive triggers with `after` have seen. Several senders write the log, so `Completed` may come before the `Running` that it follows: a
 * period that starts later counts the events that occurred in it, as in the reference since 3.9.0.
 */
export class HeldEvents {
  readonly #times: Map<string, Micros[]>
  readonly #stored: ReadonlySet<string>
  readonly #changed = new Map<string, BucketRow>()

  private constructor(rows: readonly BucketRow[]) {
    this.#times = new Map(rows.map((row) => [row.slot, JSON.parse(row.last_event ?? '[]') as Micros[]]))
    this.#stored = new Set(this.#times.keys())
  }

  /** Reads those of the given buckets. */
  static async read(tx: Tx, slots: readonly string[]): Promise<HeldEvents> {
    return new HeldEvents(await readBucketRows(tx, slots.map(heldSlot)))
  }

  hold(slot: string, { automation, trigger }: RegisteredTrigger<EventTrigger>, key: readonly string[], occurred: Micros): void {
    const held = heldSlot(slot)
    const times = [...(this.#times.get(held) ?? []), occurred].sort((a, b) => a - b)
    const newest = times.at(-1) as Micros
    const kept = times.filter((time) => time > addSeconds(newest, -heldSeconds)).slice(-heldMax)
    this.#times.set(held, kept)
    this.#changed.set(held, {
      slot: held,
      automation_id: automation.id,
      trigger_id: trigger.id,
      labels: JSON.stringify(key),
      proactive: false,
      opened: kept[0] as Micros,
      closes: addSeconds(newest, heldSeconds),
      count: kept.length,
      last_event: JSON.stringify(kept),
    })
  }

  /** How many of them occurred in a period, of which the end is exclusive. */
  countWithin(slot: string, start: Micros, end: Micros): number {
    return (this.#times.get(heldSlot(slot)) ?? []).filter((time) => time >= start && time < end).length
  }

  async write(tx: Tx): Promise<void> {
    await writeBucketRows(tx, [...this.#changed.values()], this.#stored)
  }
}
