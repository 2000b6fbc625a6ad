import type { Log, LogsCreateBody, LogsFilterBody } from '@millrace/contracts/log.ts'
import type { CallOptions } from '../http.ts'
import { iterateByOffset, type PageOptions } from '../pages.ts'
import { OperationGroup } from './operation-group.ts'

export class Logs extends OperationGroup {
  /** Creates logs, all or none. */
  create(body: LogsCreateBody, options?: CallOptions): Promise<void> {
    return this.http.call('POST', '/logs/', { body, options })
  }

  /** Lists logs. */
  list(body: LogsFilterBody = {}, options?: CallOptions): Promise<Log[]> {
    return this.http.call('POST', '/logs/filter', { body, isIdempotent: true, options })
  }

  /** Iterates over all matching items, page by page. */
  listAll(body: Omit<LogsFilterBody, 'offset' | 'limit'> = {}, options?: PageOptions): AsyncGenerator<Log, void, undefined> {
    return iterateByOffset((page, call) => this.list({ ...body, ...page }, call), options)
  }
}
