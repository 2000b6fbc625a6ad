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

export class ConcurrencyLimits extends OperationGroup {
  /** Creates a concurrency limit. */
  create(body: ConcurrencyLimitV2Create, options?: CallOptions): Promise<ConcurrencyLimitV2> {
    return this.http.call('POST', '/v2/concurrency_limits/', { body, options })
  }

  /** Reads a concurrency limit. */
  read(idOrName: string, options?: CallOptions): Promise<GlobalConcurrencyLimitResponse> {
    return this.http.call('GET', '/v2/concurrency_limits/{id_or_name}', { path: { id_or_name: idOrName }, options })
  }

  /** Lists concurrency limits. */
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

  /** Updates a concurrency limit. */
  update(idOrName: string, body: ConcurrencyLimitV2Update, options?: CallOptions): Promise<void> {
    return this.http.call('PATCH', '/v2/concurrency_limits/{id_or_name}', { path: { id_or_name: idOrName }, body, options })
  }

  /** Deletes a concurrency limit. */
  delete(idOrName: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/v2/concurrency_limits/{id_or_name}', { path: { id_or_name: idOrName }, options })
  }

  /** Acquires slots without a lease. */
  acquire(body: GlobalConcurrencyLimitsIncrementBody, options?: CallOptions): Promise<MinimalConcurrencyLimitResponse[]> {
    return this.http.call('POST', '/v2/concurrency_limits/increment', { body, options })
  }

  /** Acquires slots with a renewable lease. */
  acquireWithLease(body: GlobalConcurrencyLimitsIncrementWithLeaseBody, options?: CallOptions): Promise<ConcurrencyLimitWithLeaseResponse> {
    return this.http.call('POST', '/v2/concurrency_limits/increment-with-lease', { body, options })
  }

  /** Releases slots that were acquired without a lease. */
  release(body: GlobalConcurrencyLimitsDecrementBody, options?: CallOptions): Promise<MinimalConcurrencyLimitResponse[]> {
    return this.http.call('POST', '/v2/concurrency_limits/decrement', { body, options })
  }

  /** Ends a lease and release its slots. */
  releaseLease(body: GlobalConcurrencyLimitsDecrementWithLeaseBody, options?: CallOptions): Promise<void> {
    return this.http.call('POST', '/v2/concurrency_limits/decrement-with-lease', { body, options })
  }

  /** Renews a lease. */
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
