import type { WorkQueueFilter } from '@millrace/contracts/work-queue-filter.ts'
import { type Condition, combine, compare } from '../../storage/criteria.ts'
import { col, type Dialect } from '../../storage/dialect.ts'

export function workQueueWhere(dialect: Dialect, filter: WorkQueueFilter): Condition {
  return combine(filter.operator, [
    ...compare(dialect, col('work_queue.id'), filter.id, 'uuid'),
    ...compare(dialect, col('work_queue.name'), filter.name),
  ])
}
