import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import { stateTypes } from '@millrace/contracts/state.ts'
import { type RawBuilder, sql } from 'kysely'
import { type Micros, toMicros } from '../../lib/time.ts'
import { all, type Condition, compare } from '../../storage/criteria.ts'
import type { Db } from '../../storage/database.ts'
import { distinctStatesMax, readDistinctStates } from '../distinct-states.ts'
import { effectiveStart, flowRunWhere } from './filter.ts'
import { countRuns, type IndexRange } from './index-ranges.ts'

type Window = NonNullable<FlowRunFilter['expected_start_time']>

/** With more runs of a state that started later, or more scheduled runs that are due, the runs are better read in the order of all runs. */
const laterRunsMax = 100
const dueRunsMax = 2000

/**
 * The runs that were expected until a time, as ranges that are sorted by start. The index of starts also contains the planned runs of the future by their
 * expected start: a page of the newest starts would read all of them first. So its range ends at that time, and the few runs that were expected before it but
 * started after it are ranges of their own. Those have another state than Scheduled, or wait for a retry. Undefined if there are many of them.
 */
export async function readStartWindow(db: Db, time: Window, remaining: readonly Condition[]): Promise<IndexRange[] | undefined> {
  if (time.before_ == null) return undefined
  const until = toMicros(time.before_)
  const [later, retries] = [await readLaterRanges(db, until), await readRetryRanges(db, time, until)]
  if (!later || !retries) return undefined
  const started = rangeOf(sql`flow_run ${db.dialect.indexHint('flow_run_by_start')}`, sql<boolean>`${effectiveStart} <= ${until}`)
  // Otherwise PostgreSQL reads the runs by their expected start, or all of them, and sorts them.
  const isExpected = db.dialect.likely(all(compare(db.dialect, sql`flow_run.expected_start_time`, time)))
  return [started, ...later, ...retries].map((range) => ({ ...range, remaining: [isExpected, ...remaining] }))
}

const rangeOf = (from: RawBuilder<unknown>, where: Condition): IndexRange => ({
  from,
  where,
  id: sql`flow_run.id`,
  key: effectiveStart,
  isOfRuns: true,
  remaining: [],
})

/**
 * Every state type but that of planned runs. A run may have no state. Each is a range, sorted by its type too, so that no other index than that of states
 * suits: PostgreSQL would look for completed runs, which are most of all runs, in the order of all runs, and find the planned ones first.
 */
const startedStates: readonly Condition[] = [
  ...stateTypes
    .filter((type) => type !== 'SCHEDULED')
    .map((type) => sql<boolean>`flow_run.state_type >= ${sql.lit(type)} and flow_run.state_type <= ${sql.lit(type)}`),
  sql<boolean>`flow_run.state_type is null`,
]

/**
 * The runs of each state that started after a time. They are the newest ones of their state. A state without such runs has a range too, because a run may start
 * before the page is read.
 */
async function readLaterRanges(db: Db, until: Micros): Promise<IndexRange[] | undefined> {
  const newest = (state: Condition, columns: RawBuilder<unknown>, bounds: RawBuilder<unknown>) =>
    sql`select ${columns} from flow_run ${db.dialect.indexHint('flow_run_by_state')} where ${state} order by flow_run.state_type desc, ${effectiveStart} desc, flow_run.id desc ${bounds}`
  const beyond = startedStates.map(
    (state, index) => sql`(${newest(state, effectiveStart, sql`limit 1 offset ${sql.lit(laterRunsMax)}`)}) as ${sql.ref(`start_${index}`)}`,
  )
  const { rows } = await sql<Record<string, Micros | null>>`select ${sql.join(beyond)}`.execute(db.kysely)
  if (Object.values(rows[0] ?? {}).some((start) => start !== null && start > until)) return undefined
  const columns = sql.raw(db.dialect.allColumns)
  return startedStates.map((state) =>
    rangeOf(sql`(${newest(state, columns, sql`limit ${sql.lit(laterRunsMax)}`)}) flow_run`, sql<boolean>`${effectiveStart} > ${until}`),
  )
}

/** The scheduled runs of the window that started after a time. They wait for a retry. */
async function readRetryRanges(db: Db, time: Window, until: Micros): Promise<IndexRange[] | undefined> {
  const states = await readDistinctStates(db, 'flow_run')
  if (states.length > distinctStatesMax) return undefined
  const names = states.filter(({ type }) => type === 'SCHEDULED').map(({ name }) => name)
  if (names.length === 0) return []
  const from = sql`flow_run ${db.dialect.indexHint('flow_run_history')}`
  const isDue = all([
    sql<boolean>`flow_run.state_type = 'SCHEDULED' and ${db.dialect.isIn(sql`flow_run.state_name`, names, 'text')}`,
    flowRunWhere(db.dialect, { operator: 'and_', expected_start_time: time }),
  ])
  if ((await countRuns(db, [rangeOf(from, isDue)], dueRunsMax)) >= dueRunsMax) return undefined
  return [rangeOf(from, sql<boolean>`${isDue} and flow_run.start_time > ${until}`)]
}
