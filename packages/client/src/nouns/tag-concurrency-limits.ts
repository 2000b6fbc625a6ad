import type {
  ConcurrencyLimit,
  ConcurrencyLimitCreate,
  ConcurrencyLimitResetBody,
  ConcurrencyLimitsDecrementBody,
  ConcurrencyLimitsFilterBody,
  ConcurrencyLimitsIncrementBody,
} from '@millrace/contracts/concurrency-limit.ts'
import type { MinimalConcurrencyLimitResponse } from '@millrace/contracts/global-concurrency-limit.ts'
import type { CallOptions } from '../http.ts'
import { iterateByOffset, type PageOptions } from '../pages.ts'
import { OperationGroup } from './operation-group.ts'

/** Limits of task runs by tag. The limit of the tag `a` is the concurrency limit `tag:a`. */
export class TagConcurrencyLimits extends OperationGroup {
  /** Creates the limit of a tag, or updates it. */
  create(body: ConcurrencyLimitCreate, options?: CallOptions): Promise<ConcurrencyLimit> {
    return this.http.call('POST', '/concurrency_limits/', { body, isIdempotent: true, options })
  }

  /** Reads a tag limit by id. */
  read(id: string, options?: CallOptions): Promise<ConcurrencyLimit> {
    return this.http.call('GET', '/concurrency_limits/{id}', { path: { id }, options })
  }

  /** Reads the limit of a tag. */
  readByTag(tag: string, options?: CallOptions): Promise<ConcurrencyLimit> {
    return this.http.call('GET', '/concurrency_limits/tag/{tag}', { path: { tag }, options })
  }

  /** Lists tag limits, by tag. */
  list(body: ConcurrencyLimitsFilterBody = {}, options?: CallOptions): Promise<ConcurrencyLimit[]> {
    return this.http.call('POST', '/concurrency_limits/filter', { body, isIdempotent: true, options })
  }

  /** Iterates over all matching items, page by page. */
  listAll(
    body: Omit<ConcurrencyLimitsFilterBody, 'offset' | 'limit'> = {},
    options?: PageOptions,
  ): AsyncGenerator<ConcurrencyLimit, void, undefined> {
    return iterateByOffset((page, call) => this.list({ ...body, ...page }, call), options)
  }

  /** Frees all slots of a tag, and gives slots to the task runs of `slot_override`. */
  resetByTag(tag: string, body: ConcurrencyLimitResetBody = {}, options?: CallOptions): Promise<void> {
    return this.http.call('POST', '/concurrency_limits/tag/{tag}/reset', { path: { tag }, body, options })
  }

  /** Deletes a tag limit by id. */
  delete(id: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/concurrency_limits/{id}', { path: { id }, options })
  }

  /** Deletes the limit of a tag. */
  deleteByTag(tag: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/concurrency_limits/tag/{tag}', { path: { tag }, options })
  }

  /** Acquires a slot of each tag for a task run. Throws a `SlotsFullError` if one of the tags has none. */
  acquire(body: ConcurrencyLimitsIncrementBody, options?: CallOptions): Promise<MinimalConcurrencyLimitResponse[]> {
    return this.http.call('POST', '/concurrency_limits/increment', { body, options })
  }

  /** Releases the slots of the tags that a task run holds. */
  release(body: ConcurrencyLimitsDecrementBody, options?: CallOptions): Promise<MinimalConcurrencyLimitResponse[]> {
    return this.http.call('POST', '/concurrency_limits/decrement', { body, isIdempotent: true, options })
  }
}
