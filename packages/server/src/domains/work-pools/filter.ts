import type { WorkPoolFilter } from '@millrace/contracts/work-pool-filter.ts'
import { type Condition, combine, compare } from '../../storage/criteria.ts'
import { col, type Dialect } from '../../storage/dialect.ts'
import { whereEmptyCriteria } from '../empty-criteria.ts'

export function workPoolWhere(dialect: Dialect, filter: WorkPoolFilter): Condition {
  return combine(filter.operator, [
    ...whereEmptyCriteria(filter),
    ...compare(dialect, col('work_pool.id'), filter.id, 'uuid'),
    ...compare(dialect, col('work_pool.name'), filter.name),
    ...compare(dialect, col('work_pool.type'), filter.type),
  ])
}
