import type {
  ConcurrencyLeaseRenewBody,
  ConcurrencyLimitV2,
  ConcurrencyLimitV2Create,
  ConcurrencyLimitV2Update,
  ConcurrencyLimitWithLeaseResponse,
  GlobalConcurrencyLimitResponse,
  GlobalConcurrencyLimitsDecrementBody,
  GlobalConcurrencyLimitsDecrementWithLeaseBody,
  GlobalConcurrencyLimitsFilterBody,
  GlobalConcurrencyLimitsIncrementBody,
  GlobalConcurrencyLimitsIncrementWithLeaseBody,
  MinimalConcurrencyLimitResponse,
} from '@millrace/contracts/global-concurrency-limit.ts'
import type { LimitHolders } from '@millrace/contracts/limit-holders.ts'
import type { CallOptions } from '../http.ts'
import { iterateByOffset, type PageOptions } from '../pages.ts'
import { OperationGroup } from './operation-group.ts'

/**
 * Limits by name, and their slots. A call that acquires slots throws a `SlotsFullError` if too few are free. With the header `prefer: wait=30` the server
 * waits up to 30 seconds for them.
 */
export class ConcurrencyLimits extends OperationGroup {
  /** Creates a concurrency limit. Throws a `ConflictError` if one has this name. */
  create(body: ConcurrencyLimitV2Create, options?: CallOptions): Promise<ConcurrencyLimitV2> {
    return this.http.call('POST', '/v2/concurrency_limits/', { body, options })
  }

  /** Reads a concurrency limit by id or name. */
  read(idOrName: string, options?: CallOptions): Promise<GlobalConcurrencyLimitResponse> {
    return this.http.call('GET', '/v2/concurrency_limits/{id_or_name}', { path: { id_or_name: idOrName }, options })
  }

  /** Lists concurrency limits, by name. */
  list(body: GlobalConcurrencyLimitsFilterBody = {}, options?: CallOptions): Promise<GlobalConcurrencyLimitResponse[]> {
    return this.http.call('POST', '/v2/concurrency_limits/filter', { body, isIdempotent: true, options })
  }

  /** Iterates over all matching items, page by page. */
  listAll(
    body: Omit<GlobalConcurrencyLimitsFilterBody, 'offset' | 'limit'> = {},
    options?: PageOptions,
  ): AsyncGenerator<GlobalConcurrencyLimitResponse, void, undefined> {
    return iterateByOffset((page, call) => this.list({ ...body, ...page }, call), options)
  }

  /** Updates a concurrency limit. `active_slots` sets the number of slots in use. */
  update(idOrName: string, body: ConcurrencyLimitV2Update, options?: CallOptions): Promise<void> {
    return this.http.call('PATCH', '/v2/concurrency_limits/{id_or_name}', { path: { id_or_name: idOrName }, body, options })
  }

  /** Deletes a concurrency limit by id or name. */
  delete(idOrName: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/v2/concurrency_limits/{id_or_name}', { path: { id_or_name: idOrName }, options })
  }

  /** Acquires slots without a lease: they are in use until `release`. A limit that does not exist does not count. */
  acquire(body: GlobalConcurrencyLimitsIncrementBody, options?: CallOptions): Promise<MinimalConcurrencyLimitResponse[]> {
    return this.http.call('POST', '/v2/concurrency_limits/increment', { body, options })
  }

  /** Acquires slots with a lease. They are free again when the lease is released or not renewed in time. */
  acquireWithLease(body: GlobalConcurrencyLimitsIncrementWithLeaseBody, options?: CallOptions): Promise<ConcurrencyLimitWithLeaseResponse> {
    return this.http.call('POST', '/v2/concurrency_limits/increment-with-lease', { body, options })
  }

  /** Releases slots that were acquired without a lease. */
  release(body: GlobalConcurrencyLimitsDecrementBody, options?: CallOptions): Promise<MinimalConcurrencyLimitResponse[]> {
    return this.http.call('POST', '/v2/concurrency_limits/decrement', { body, options })
  }

  /** Ends a lease and releases its slots. Does nothing if the lease has ended. */
  releaseLease(body: GlobalConcurrencyLimitsDecrementWithLeaseBody, options?: CallOptions): Promise<void> {
    return this.http.call('POST', '/v2/concurrency_limits/decrement-with-lease', { body, isIdempotent: true, options })
  }

  /** Extends a lease from now on. Throws an `ApiError` with the code `LEASE_GONE` if it has ended. */
  renewLease(leaseId: string, body: ConcurrencyLeaseRenewBody = {}, options?: CallOptions): Promise<void> {
    return this.http.call('POST', '/v2/concurrency_limits/leases/{lease_id}/renew', {
      path: { lease_id: leaseId },
      body,
      isIdempotent: true,
      options,
    })
  }

  /** Lists the holders and waiters of a concurrency limit. */
  listHolders(idOrName: string, options?: CallOptions): Promise<LimitHolders> {
    return this.http.call('GET', '/v2/concurrency_limits/{id_or_name}/holders', { path: { id_or_name: idOrName }, options })
  }
}
