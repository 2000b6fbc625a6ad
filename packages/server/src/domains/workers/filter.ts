import type { WorkerFilter } from '@millrace/contracts/worker.ts'
import { type Condition, combine, compare } from '../../storage/criteria.ts'
import { col, type Dialect } from '../../storage/dialect.ts'

export function workerWhere(dialect: Dialect, filter: WorkerFilter): Condition {
  return combine(filter.operator, [
    ...compare(dialect, col('worker.last_heartbeat_time'), filter.last_heartbeat_time),
    ...compare(dialect, col('worker.status'), filter.status),
  ])
}
