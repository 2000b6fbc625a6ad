import type { WorkQueueFilter } from '@millrace/contracts/work-queue-filter.ts'
import { type Condition, combine, compare } from '../../storage/criteria.ts'
import { col, type Dialect, prefixPattern } from '../../storage/dialect.ts'
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

/** Prefixes match case-insensitively and may contain `%`. An empty list matches everything. */
function startsWithAny(dialect: Dialect, prefixes: readonly string[] | null | undefined): Condition[] {
  if (!prefixes?.length) return []
  return [dialect.isLikeAny(col('work_queue.name'), prefixes.map(prefixPattern))]
}
