import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import { stateTypes } from '@millrace/contracts/state.ts'
import { type RawBuilder, sql } from 'kysely'
import { type Micros, toMicros } from '../../lib/time.ts'
import { all, type Condition, compare } from '../../storage/criteria.ts'
import type { Db } from '../../storage/database.ts'
import { effectiveStart } from './filter.ts'
import type { IndexRange } from './index-ranges.ts'

type Window = NonNullable<FlowRunFilter['expected_start_time']>

/** With more runs of a state that started later, the runs are better read in the order of all runs. */
const laterRunsMax = 100

/**
 * The runs that were expected until a time, as ranges that are sorted by start. The index of starts also contains the planned runs of the future by their
 * expected start: a page of the newest starts would read all of them first. So its range ends at that time, and the few runs that were expected before it but
 * started after it are ranges of their own. Those have another state than Scheduled, or wait for a retry. Undefined if there are many of them.
 */
export async function readStartWindow(db: Db, time: Window, remaining: readonly Condition[]): Promise<IndexRange[] | undefined> {
  if (time.before_ == null) return undefined
  const until = toMicros(time.before_)
  const later = await readLaterRanges(db, until)
  if (!later) return undefined
  const started = rangeOf(sql`flow_run ${db.dialect.indexHint('flow_run_by_start')}`, sql<boolean>`${effectiveStart} <= ${until}`)
  // Otherwise PostgreSQL reads the runs by their expected start, or all of them, and sorts them.
  const isExpected = db.dialect.likely(all(compare(db.dialect, sql`flow_run.expected_start_time`, time)))
  return [started, ...later].map((range) => ({ ...range, remaining: [isExpected, ...remaining] }))
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
 * The runs that started after a time, by state. The conditions and orders fit one index only: PostgreSQL would look for completed runs, which are most of all
 * runs, in the order of all runs, and find the planned ones first. A scheduled run that has started waits for a retry; planned runs have not. A run may have
 * no state.
 */
function laterQueries({ dialect }: Db, until: Micros): ((columns: RawBuilder<unknown>, bounds: RawBuilder<unknown>) => RawBuilder<unknown>)[] {
  const types = stateTypes.filter((type) => type !== 'SCHEDULED')
  const isLater = [
    ...types.map((type) => dialect.isPairAfter([sql`flow_run.state_type`, effectiveStart], type, until)),
    sql<boolean>`flow_run.state_type is null and ${effectiveStart} > ${until}`,
  ]
  return [
    ...isLater.map(
      (condition) => (columns: RawBuilder<unknown>, bounds: RawBuilder<unknown>) =>
        sql`select ${columns} from flow_run ${dialect.indexHint('flow_run_by_state')} where ${condition}
          order by flow_run.state_type desc, ${effectiveStart} desc, flow_run.id desc ${bounds}`,
    ),
    (columns, bounds) =>
      sql`select ${columns} from flow_run ${dialect.indexHint('flow_run_retrying')}
        where flow_run.state_type = 'SCHEDULED' and flow_run.start_time > ${until} order by flow_run.start_time desc ${bounds}`,
  ]
}

/** The runs that started after a time. A state without such runs has a range too, because a run may start before the page is read. */
async function readLaterRanges(db: Db, until: Micros): Promise<IndexRange[] | undefined> {
  const queries = laterQueries(db, until)
  const beyond = queries.map((query, index) => sql`(${query(sql`1`, sql`limit 1 offset ${sql.lit(laterRunsMax)}`)}) as ${sql.ref(`more_${index}`)}`)
  const { rows } = await sql<Record<string, number | null>>`select ${sql.join(beyond)}`.execute(db.kysely)
  if (Object.values(rows[0] ?? {}).some((more) => more !== null)) return undefined
  const columns = sql.raw(db.dialect.allColumns)
  return queries.map((query) => rangeOf(sql`(${query(columns, sql`limit ${sql.lit(laterRunsMax + 1)}`)}) flow_run`, sql<boolean>`1 = 1`))
}
