import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import { stateTypes } from '@millrace/contracts/state.ts'
import { sql } from 'kysely'
import { toMicros } from '../../lib/time.ts'
import type { Condition } from '../../storage/criteria.ts'
import type { Db } from '../../storage/database.ts'
import { distinctStatesMax, readDistinctStates } from '../distinct-states.ts'
import { effectiveStart, flowRunWhere } from './filter.ts'
import { countRanges, type IndexRange } from './index-ranges.ts'

/** More runs than this are better read in the order of all runs. */
const laterRunsMax = 2000

/**
 * The runs that were expected until a time, as ranges that are sorted by start. The index of starts also contains the planned runs of the future by their
 * expected start: a page of the newest starts would read all of them first. So its range ends at that time, and the few runs that were expected before it but
 * started after it are ranges of their own. Those have another state than Scheduled, or wait for a retry. Undefined if there are many of them, and on PostgreSQL,
 * which reads such ranges by other indexes: a page took 33 ms of its CPU instead of 1.4.
 */
export async function readStartWindow(
  db: Db,
  time: NonNullable<FlowRunFilter['expected_start_time']>,
  remaining: readonly Condition[],
): Promise<IndexRange[] | undefined> {
  if (time.before_ == null || !db.dialect.hasIndexHints) return undefined
  const states = await readDistinctStates(db, 'flow_run')
  if (states.length > distinctStatesMax) return undefined
  const until = toMicros(time.before_)
  const isExpected = flowRunWhere(db.dialect, { operator: 'and_', expected_start_time: time })
  const rangeOf = (index: string, where: Condition, more: readonly Condition[]): IndexRange => ({
    from: sql`flow_run ${db.dialect.indexHint(index)}`,
    id: sql`flow_run.id`,
    isOfRuns: true,
    key: effectiveStart,
    where,
    remaining: [...more, ...remaining],
  })
  const startedLater = (state: Condition) => rangeOf('flow_run_by_state', sql<boolean>`${state} and ${effectiveStart} > ${until}`, [isExpected])
  const otherTypes = stateTypes.filter((type) => type !== 'SCHEDULED')
  const scheduledNames = states.filter(({ type }) => type === 'SCHEDULED').map(({ name }) => name)
  const later = [
    startedLater(db.dialect.isIn(sql`flow_run.state_type`, otherTypes, 'text')),
    startedLater(sql`flow_run.state_type is null`),
    rangeOf(
      'flow_run_history',
      sql<boolean>`flow_run.state_type = 'SCHEDULED' and ${db.dialect.isIn(sql`flow_run.state_name`, scheduledNames, 'text')} and ${isExpected}`,
      [sql<boolean>`flow_run.start_time > ${until}`],
    ),
  ]
  const [count = 0] = await countRanges(db, [{ name: 'time', ranges: () => later, hasOrder: () => false }], laterRunsMax)
  if (count >= laterRunsMax) return undefined
  return [rangeOf('flow_run_by_start', sql<boolean>`${effectiveStart} <= ${until}`, [isExpected]), ...later]
}
