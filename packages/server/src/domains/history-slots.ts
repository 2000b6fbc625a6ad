import { isTerminal } from '@millrace/contracts/state.ts'
import { type RawBuilder, sql } from 'kysely'
import { slotLevels, slotMicros } from '../lib/count-slots.ts'
import type { Micros } from '../lib/time.ts'
import type { Db } from '../storage/database.ts'
import { slotOf, slotStart } from '../storage/run-counts.ts'
import type { DistinctState } from './distinct-states.ts'
import { type HistoryQuery, latenessAt, runTimeAt, type StateBucket } from './history-sums.ts'

/** Shorter intervals have few runs, which are read as fast as slots. */
export const slotIntervalMin = slotMicros

/** Sums as text: runs, run time and lateness. Null without runs. */
type SumsText = string | null

/**
 * The sums of one state. `sums` belongs to the interval. The others belong to its beginning: they are subtracted from the interval and added to the one
 * before.
 */
interface SlotRow extends DistinctState {
  readonly bucket: number
  readonly sums: SumsText
  readonly runs: SumsText
  readonly short_slots: SumsText
  readonly middle_slots: SumsText
}

const [, { width: middle }, { width: long }] = slotLevels

/**
 * Adds up slots of finished runs instead of reading the runs (ADR 0060). An interval begins somewhere in a long slot. So it gets the long slots from this
 * one up to the one in which it ends, less what is in the first of them before its beginning, plus what is in the last one before its end: middle slots,
 * then short slots, and then the runs of a part of a short slot. Unfinished runs are read. One statement, so that all of this is one snapshot.
 */
export async function countBySlots(db: Db, query: HistoryQuery, states: readonly DistinctState[]): Promise<StateBucket[]> {
  const finished = states.filter(({ type }) => isTerminal(type))
  const unfinished = states.filter(({ type }) => !isTerminal(type))
  const branches = [
    ...(finished.length === 0 ? [] : [slotsQuery(db, query), changesQuery(db, query)]),
    ...(unfinished.length === 0 ? [] : [runsQuery(db, query)]),
  ]
  if (branches.length === 0) return []
  const { table, start, interval, count } = query
  const values = (some: readonly DistinctState[]) =>
    sql.join(some.length === 0 ? [sql`('', '')`] : some.map(({ type, name }) => sql`(cast(${type} as text), cast(${name} as text))`))
  const { rows } = await sql<SlotRow>`with recursive
      numbered(bucket) as (select cast(0 as bigint) union all select bucket + 1 from numbered where bucket < cast(${count} as bigint)),
      timed(bucket, time, end_time) as (select bucket, cast(${start} as bigint) + bucket * cast(${interval} as bigint),
        cast(${start} as bigint) + (bucket + 1) * cast(${interval} as bigint) from numbered),
      boundary(bucket, time, slot, end_slot) as materialized (select bucket, time, ${sql.raw(slotOf('time'))},
        case when bucket < cast(${count} as bigint) then ${sql.raw(slotOf('end_time'))} else 0 end from timed),
      finished(type, name) as (values ${values(finished)}),
      unfinished(type, name) as (values ${values(unfinished)}),
      slot_state(type, name, id) as materialized (select type, name,
        (select id from run_total where run_table = ${sql.lit(table)} and state_type = finished.type and state_name = finished.name) from finished)
    ${sql.join(branches, sql` union all `)}`.execute(db.kysely)
  return addUp(rows, states, count)
}

const sumsText = (db: Db, runs: RawBuilder<unknown>, runTime: RawBuilder<unknown>, lateness: RawBuilder<unknown>): RawBuilder<SumsText> =>
  sql`${runs} || ' ' || ${db.dialect.doubleText(sql`sum(${runTime})`)} || ' ' || ${db.dialect.doubleText(sql`sum(${lateness})`)}`

/** The same for runs of the table. */
const runsText = (db: Db, now: Micros): RawBuilder<SumsText> => sumsText(db, sql`nullif(count(*), 0)`, runTimeAt(now), latenessAt(now))

function slotsQuery(db: Db, { table, now }: HistoryQuery): RawBuilder<SlotRow> {
  const slots = (level: 1 | 2 | 3, from: string, to: string) =>
    sql`(select ${sumsText(db, sql`sum(stored.count)`, sql`stored.run_time`, sql`stored.lateness`)} from run_history_slot stored
      where stored.state_id = slot_state.id and stored.level = ${sql.lit(level)} and stored.slot >= ${sql.raw(from)} and stored.slot < ${sql.raw(to)})`
  return sql`select boundary.bucket, slot_state.type, slot_state.name,
      ${slots(3, `boundary.slot / ${long}`, `boundary.end_slot / ${long}`)} as sums,
      (select ${runsText(db, now)} from ${sql.table(table)}
        where state_type = slot_state.type and state_name = slot_state.name
          and expected_start_time >= ${sql.raw(slotStart('boundary.slot'))} and expected_start_time < boundary.time) as runs,
      ${slots(1, `boundary.slot / ${middle} * ${middle}`, 'boundary.slot')} as short_slots,
      ${slots(2, `boundary.slot / ${long} * ${long / middle}`, `boundary.slot / ${middle}`)} as middle_slots
    from boundary cross join slot_state`
}

/**
 * A change belongs to the interval in which its slot ends, as if all its runs were expected then. The runs of this slot before the beginning of the interval
 * are subtracted, as those of short slots.
 */
function changesQuery(db: Db, { table, start, interval, count }: HistoryQuery): RawBuilder<SlotRow> {
  const from = sql`(select slot from boundary where bucket = 0)`
  const to = sql`(select slot from boundary where bucket = cast(${count} as bigint))`
  return sql`select (${sql.raw(slotStart('(changed.slot + 1)'))} - 1 - cast(${start} as bigint)) / cast(${interval} as bigint) as bucket,
      changed.state_type as type, changed.state_name as name,
      ${sumsText(db, sql`sum(changed.count)`, sql`changed.run_time`, sql`changed.lateness`)} as sums, null as runs, null as short_slots, null as middle_slots
    from run_change changed where changed.run_table = ${sql.lit(table)} and changed.slot >= ${from} and changed.slot < ${to} group by 1, 2, 3`
}

function runsQuery(db: Db, { table, interval, count, now }: HistoryQuery): RawBuilder<SlotRow> {
  return sql`select boundary.bucket, unfinished.type, unfinished.name,
      (select ${runsText(db, now)} from ${sql.table(table)}
        where state_type = unfinished.type and state_name = unfinished.name
          and expected_start_time >= boundary.time and expected_start_time < boundary.time + cast(${interval} as bigint)) as sums,
      null as runs, null as short_slots, null as middle_slots
    from unfinished cross join boundary where boundary.bucket < cast(${count} as bigint)`
}

interface Sums {
  runs: number
  run_time: number
  lateness: number
}

function addUp(rows: readonly SlotRow[], states: readonly DistinctState[], count: number): StateBucket[] {
  const byState = new Map(
    states.map(({ type, name }) => [`${type} ${name}`, Array.from({ length: count }, (): Sums => ({ runs: 0, run_time: 0, lateness: 0 }))]),
  )
  for (const { bucket, type, name, sums, runs, short_slots, middle_slots } of rows) {
    // A state that the first run entered after the states were read.
    const buckets = byState.get(`${type} ${name}`)
    if (!buckets) continue
    addSums(buckets[bucket], sums, 1)
    for (const text of [runs, short_slots, middle_slots]) {
      addSums(buckets[bucket], text, -1)
      addSums(buckets[bucket - 1], text, 1)
    }
  }
  return states.flatMap(({ type, name }) =>
    (byState.get(`${type} ${name}`) ?? []).flatMap((sums, bucket) => (sums.runs === 0 ? [] : [{ bucket, type, name, ...sums }])),
  )
}

function addSums(sums: Sums | undefined, text: SumsText, sign: 1 | -1): void {
  if (!sums || text === null) return
  const [runs, runTime, lateness] = text.split(' ')
  sums.runs += sign * Number(runs)
  sums.run_time += sign * Number(runTime)
  sums.lateness += sign * Number(lateness)
}
