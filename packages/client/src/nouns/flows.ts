import type {
  Flow,
  FlowBulkDeleteResponse,
  FlowCreate,
  FlowPaginationResponse,
  FlowsBulkDeleteBody,
  FlowsCountBody,
  FlowsFilterBody,
  FlowsPaginateBody,
  FlowUpdate,
} from '@millrace/contracts/flow.ts'
import type { CountsById, NextRunsByFlow, UIFlowsCountDeploymentsBody, UIFlowsNextRunsBody } from '@millrace/contracts/ui.ts'
import type { CallOptions } from '../http.ts'
import { iterateByOffset, type PageOptions } from '../pages.ts'
import { OperationGroup } from './operation-group.ts'

/** Flows, which the server knows by their names. */
export class Flows extends OperationGroup {
  /** Creates a flow, or returns the flow with this name. */
  create(body: FlowCreate, options?: CallOptions): Promise<Flow> {
    return this.http.call('POST', '/flows/', { body, isIdempotent: true, options })
  }

  /** Reads a flow by id. */
  read(id: string, options?: CallOptions): Promise<Flow> {
    return this.http.call('GET', '/flows/{id}', { path: { id }, options })
  }

  /** Reads a flow by name. */
  readByName(name: string, options?: CallOptions): Promise<Flow> {
    return this.http.call('GET', '/flows/name/{name}', { path: { name }, options })
  }

  /** Updates the tags of a flow. */
  update(id: string, body: FlowUpdate, options?: CallOptions): Promise<void> {
    return this.http.call('PATCH', '/flows/{id}', { path: { id }, body, options })
  }

  /** Deletes a flow with its deployments and runs. */
  delete(id: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/flows/{id}', { path: { id }, options })
  }

  /** Deletes at most 50 matching flows and returns their ids. Repeat it until none is left. */
  deleteMatching(body: FlowsBulkDeleteBody = {}, options?: CallOptions): Promise<FlowBulkDeleteResponse> {
    return this.http.call('POST', '/flows/bulk_delete', { body, options })
  }

  /** Counts flows. */
  count(body: FlowsCountBody = {}, options?: CallOptions): Promise<number> {
    return this.http.call('POST', '/flows/count', { body, isIdempotent: true, options })
  }

  /** Lists flows, by name by default. */
  list(body: FlowsFilterBody = {}, options?: CallOptions): Promise<Flow[]> {
    return this.http.call('POST', '/flows/filter', { body, isIdempotent: true, options })
  }

  /** Iterates over all matching items, page by page. */
  listAll(body: Omit<FlowsFilterBody, 'offset' | 'limit'> = {}, options?: PageOptions): AsyncGenerator<Flow, void, undefined> {
    return iterateByOffset((page, call) => this.list({ ...body, ...page }, call), options)
  }

  /** Lists flows by page number, with the total count. */
  page(body: FlowsPaginateBody = {}, options?: CallOptions): Promise<FlowPaginationResponse> {
    return this.http.call('POST', '/flows/paginate', { body, isIdempotent: true, options })
  }

  /** Counts the deployments of flows. */
  countDeployments(body: UIFlowsCountDeploymentsBody, options?: CallOptions): Promise<CountsById> {
    return this.http.call('POST', '/ui/flows/count-deployments', { body, isIdempotent: true, options })
  }

  /** Reads the next scheduled run of flows. */
  nextRuns(body: UIFlowsNextRunsBody, options?: CallOptions): Promise<NextRunsByFlow> {
    return this.http.call('POST', '/ui/flows/next-runs', { body, isIdempotent: true, options })
  }
}
