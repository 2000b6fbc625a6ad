import { sql } from 'kysely'
import { MICROS_PER_SECOND, type Micros, toMicros } from '../lib/time.ts'
import type { Db } from '../storage/database.ts'
import { distinctStatesMax, matchesStateFilter, readDistinctStates } from './distinct-states.ts'
import { countBySlots } from './history-slots.ts'
import { latenessAt } from './history-sums.ts'
import type { RelatedFilters } from './relations.ts'

interface Sums {
  readonly runs: number
  /** In microseconds. */
  readonly lateness: number
}

const timeMin = toMicros('0001-01-01T00:00:00Z')
/** Later than the last supported time, whose last digits a double does not have. */
const timeMax = toMicros('9999-12-31T00:00:00Z') + 2 * 86_400 * MICROS_PER_SECOND

/** Shorter ranges have few runs, which are read as fast. Slots need a few statements and milliseconds, whatever the range. */
const rangeMin = 6 * 3600 * MICROS_PER_SECOND

/**
 * The number and lateness of the flow runs with an expected start in a range, by the slots of finished runs (ADR 0060): an interval of a history. Undefined for filters that
 * ask for more than states, and for ranges that are too short for slots.
 */
export async function sumByExpectedStart(db: Db, filters: RelatedFilters, now: Micros): Promise<Sums | undefined> {
  const { flow_runs, ...others } = filters
  if (!flow_runs || flow_runs.operator === 'or_' || Object.values(others).some((filter) => filter != null)) return undefined
  const { operator: _operator, expected_start_time: time, state, ...criteria } = flow_runs
  if ((time?.after_ ?? time?.before_) == null || Object.values(criteria).some((each) => each != null)) return undefined
  const start = time?.after_ == null ? timeMin : toMicros(time.after_)
  const end = time?.before_ == null ? timeMax : toMicros(time.before_) + 1
  if (end - start < rangeMin) return undefined
  const distinct = await readDistinctStates(db, 'flow_run')
  if (distinct.length > distinctStatesMax) return undefined
  const states = state ? distinct.filter((each) => matchesStateFilter(state, each)) : distinct
  const query = { table: 'flow_run', where: sql<boolean>`1 = 1`, start, interval: end - start, count: 1, now } as const
  const sums = [...(state ? [] : [await sumWithoutState(db, start, end, now)]), ...(await countBySlots(db, query, states))]
  return { runs: sums.reduce((total, { runs }) => total + runs, 0), lateness: sums.reduce((total, { lateness }) => total + lateness, 0) }
}

/** Clients may create runs without a state. They are in no slot, and few. The signs keep SQLite from looking up the times in each state. */
async function sumWithoutState(db: Db, start: Micros, end: Micros, now: Micros): Promise<Sums> {
  const { rows } = await sql<Sums>`select count(*) as runs, coalesce(sum(${latenessAt(now)}), 0) as lateness from flow_run
    where state_type is null and +expected_start_time >= ${start} and +expected_start_time < ${end}`.execute(db.kysely)
  return rows[0] ?? { runs: 0, lateness: 0 }
}
