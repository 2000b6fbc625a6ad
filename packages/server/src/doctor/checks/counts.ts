import { slotAt, slotLevels } from '../../lib/count-slots.ts'
import { addSeconds } from '../../lib/time.ts'
import { type Db, type Statement, statement } from '../../storage/database.ts'
import { countedTables, recountRuns, slotOf, slotStart } from '../../storage/run-counts.ts'
import { type Check, countText, type Finding, repairCommand } from '../finding.ts'

type RunTable = (typeof countedTables)[number]

/** How far back slots are compared with the runs unless everything is. */
const sampleSeconds = 86_400

const state = `coalesce(state_type, '') as state_type, coalesce(state_name, '') as state_name`
const inSlot = `state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED') and expected_start_time is not null`

/** States whose number of runs is wrong. Reads an index entry of each run. */
const wrongTotals = (table: RunTable): Statement =>
  statement(`select state_type, state_name from (
      select state_type, state_name, count from run_count where run_table = '${table}'
      union all select ${state}, -count(*) from ${table} group by 1, 2
    ) both_sides group by 1, 2 having sum(count) <> 0`)

/** Doubles above 2⁵³ are rounded, in an order that differs. */
const isWrong = `sum(count) <> 0 or abs(sum(run_time)) > 0.5 + 1e-12 * sum(abs(run_time)) or abs(sum(lateness)) > 0.5 + 1e-12 * sum(abs(lateness))`

/** Slots of level 1, from one on, that differ from the runs. */
const wrongSlots = (table: RunTable): Statement =>
  statement(`select state_type, state_name, slot from (
      select state_type, state_name, slot, count, run_time, lateness from run_count_by_slot where run_table = '${table}' and slot >= $1
      union all select ${state}, ${slotOf('expected_start_time')}, -count(*), -sum(cast(total_run_time as double precision)),
        -sum(cast(case when start_time > expected_start_time then start_time - expected_start_time else 0 end as double precision))
      from ${table} where ${inSlot} and expected_start_time >= ${slotStart('cast($1 as bigint)')} group by 1, 2, 3
    ) both_sides group by 1, 2, 3 having ${isWrong}`)

/** Longer slots that differ from their short ones. */
const wrongLevels = statement(`select state_id, level, slot from (
    select state_id, level, slot, count, run_time, lateness from run_history_slot where level > 1
    ${slotLevels
      .slice(1)
      .map(
        ({ level, width }) =>
          `union all select state_id, ${level}, slot / ${width}, -count, -run_time, -lateness from run_history_slot where level = 1`,
      )
      .join('\n    ')}
  ) both_sides group by 1, 2, 3 having ${isWrong}`)

const comparisons = Object.fromEntries(countedTables.map((table) => [table, { totals: wrongTotals(table), slots: wrongSlots(table) }])) as Record<
  RunTable,
  { readonly totals: Statement; readonly slots: Statement }
>

/** How many counts and slots differ from the runs, from a slot of level 1 on. Each comparison is one statement, so that both sides see the same commits. */
export async function findWrongCounts(db: Db, firstSlot: number): Promise<{ readonly totals: number; readonly slots: number }> {
  const found = { totals: 0, slots: (await db.all(wrongLevels)).length }
  for (const { totals, slots } of Object.values(comparisons)) {
    found.totals += (await db.all(totals)).length
    found.slots += (await db.all(slots, [firstSlot])).length
  }
  return found
}

/** The counts and histories that triggers keep agree with the runs. */
export const counts: Check = {
  name: 'counts',
  summary: 'that counts of runs by state, and the slots of histories, agree with the runs (slots of the last day, with --full all)',
  async run({ db, now, isFull }) {
    const { totals, slots } = await findWrongCounts(db, isFull ? 0 : slotAt(addSeconds(now, -sampleSeconds)))
    if (totals === 0 && slots === 0) return []
    const finding: Finding = {
      severity: 'error',
      what: `${countText(totals, 'count')} of runs by state and ${countText(slots, 'slot')} of run histories do not agree with the runs.`,
      why: 'Totals of pages and run histories are wrong. Runs were probably changed while triggers were disabled.',
      fix: repairCommand,
      repair: {
        title: 'count all runs again',
        run: ({ commands }) => commands.submit(recountRuns).then(() => 'Counted all runs again.'),
      },
    }
    return [finding]
  },
}
