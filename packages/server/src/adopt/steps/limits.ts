import { tagLimitName } from '../../lib/limit-names.ts'
import { hasDecay } from '../../runs/slots/decay.ts'
import type { Row } from '../../storage/tables.ts'
import { baseColumns, bool, int, real, text } from '../columns.ts'
import type { Step } from '../step.ts'

type Limit = Row<'concurrency_limit'>

/** Slots in use become leases in adopt-slots.ts, after the runs that hold them are copied. */
const globalLimits: Step = {
  name: 'concurrency_limit_v2',
  noun: 'concurrency limits',
  from: 'concurrency_limit_v2',
  to: 'concurrency_limit',
  columns: {
    ...baseColumns,
    name: text(),
    active: bool(true),
    slots: int(0, 'limit'),
    active_slots: int(0),
    denied_slots: real(0),
    slot_decay_per_second: real(0),
    avg_slot_occupancy_seconds: real(2),
  },
  countFilter: 'as copied',
  async write(_adoption, tx, rows) {
    const limits = rows.map(({ active_slots, ...row }) => {
      const limit = row as unknown as Limit
      return { ...limit, decaying_slots: hasDecay(limit) ? Number(active_slots) : 0, settled: limit.updated }
    })
    await tx.insert('concurrency_limit', limits)
  },
}

/** The legacy table of tag limits. */
const tagLimits: Step = {
  name: 'concurrency_limit',
  noun: 'tag concurrency limits',
  from: 'concurrency_limit',
  to: 'concurrency_limit',
  ignoredColumns: ['active_slots'],
  countFilter: 'as copied',
  skipRules: [
    {
      where: "exists (select 1 from concurrency_limit_v2 newer where newer.name = 'tag:' || concurrency_limit.tag)",
      reason: 'replaced by a newer limit of the same tag',
    },
  ],
  columns: { ...baseColumns, tag: text(), slots: int(0, 'concurrency_limit') },
  async write(_adoption, tx, rows) {
    const limits = rows.map(({ tag, ...row }) => ({
      ...row,
      name: tagLimitName(String(tag)),
      active: true,
      slot_decay_per_second: 0,
      avg_slot_occupancy_seconds: 2,
      decaying_slots: 0,
      denied_slots: 0,
      settled: row.updated as number,
    }))
    await tx.insert('concurrency_limit', limits)
  },
}

export const limitSteps: readonly Step[] = [globalLimits, tagLimits]
