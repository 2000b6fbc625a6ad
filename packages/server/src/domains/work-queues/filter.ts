import type { WorkQueueFilter } from '@millrace/contracts/work-queue-filter.ts'
import { type Condition, combine, compare } from '../../storage/criteria.ts'
import { col, type Dialect } from '../../storage/dialect.ts'
import { whereEmptyCriteria } from '../empty-criteria.ts'

export function workQueueWhere(dialect: Dialect, filter: WorkQueueFilter): Condition {
  const { startswith_, ...name } = filter.name ?? {}
  return combine(filter.operator, [
    ...whereEmptyCriteria(filter),
    ...compare(dialect, col('work_queue.id'), filter.id, 'uuid'),
    ...combineIfAny([...compare(dialect, col('work_queue.name'), name), ...startsWithAny(dialect, startswith_)]),
  ])
}

const combineIfAny = (conditions: Condition[]): Condition[] => (conditions.length === 0 ? [] : [combine('and_', conditions)])

/** The beginning of a name matches in any case and may hold wildcards; no beginning at all asks nothing. */
function startsWithAny(dialect: Dialect, starts: readonly string[] | null | undefined): Condition[] {
  if (!starts?.length) return []
  return [
    dialect.isLikeAny(
      col('work_queue.name'),
      starts.map((start) => `${start}%`),
    ),
  ]
}
