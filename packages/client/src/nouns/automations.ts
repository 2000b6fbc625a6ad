import type {
  Automation,
  AutomationCreate,
  AutomationPartialUpdate,
  AutomationStatus,
  AutomationsCountBody,
  AutomationsFilterBody,
  AutomationUpdate,
  SuspendedAutomation,
  TemplateBody,
} from '@millrace/contracts/automation.ts'
import type { CallOptions } from '../http.ts'
import { iterateByOffset, type PageOptions } from '../pages.ts'
import { OperationGroup } from './operation-group.ts'

/** Triggers, and the actions that they start. */
export class Automations extends OperationGroup {
  /** Creates an automation. A call that is repeated creates another one. */
  create(body: AutomationCreate, options?: CallOptions): Promise<Automation> {
    return this.http.call('POST', '/automations/', { body, options })
  }

  /** Replaces an automation: its name, trigger, actions and state. */
  replace(id: string, body: AutomationUpdate, options?: CallOptions): Promise<void> {
    return this.http.call('PUT', '/automations/{id}', { path: { id }, body, options })
  }

  /** Enables or disables an automation. */
  update(id: string, body: AutomationPartialUpdate, options?: CallOptions): Promise<void> {
    return this.http.call('PATCH', '/automations/{id}', { path: { id }, body, options })
  }

  /** Deletes an automation. */
  delete(id: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/automations/{id}', { path: { id }, options })
  }

  /** Lists automations, by name by default. */
  list(body: AutomationsFilterBody = {}, options?: CallOptions): Promise<Automation[]> {
    return this.http.call('POST', '/automations/filter', { body, isIdempotent: true, options })
  }

  /** Iterates over all matching items, page by page. */
  listAll(body: Omit<AutomationsFilterBody, 'offset' | 'limit'> = {}, options?: PageOptions): AsyncGenerator<Automation, void, undefined> {
    return iterateByOffset((page, call) => this.list({ ...body, ...page }, call), options)
  }

  /** Counts automations. */
  count(body: AutomationsCountBody = {}, options?: CallOptions): Promise<number> {
    return this.http.call('POST', '/automations/count', { body, isIdempotent: true, options })
  }

  /** Lists the automations that are suspended because they fired too often. */
  listSuspended(options?: CallOptions): Promise<SuspendedAutomation[]> {
    return this.http.call('GET', '/automations/suspended', { options })
  }

  /** Resumes a suspended automation. Does nothing if it is not suspended. */
  resume(id: string, options?: CallOptions): Promise<void> {
    return this.http.call('POST', '/automations/{id}/resume', { path: { id }, isIdempotent: true, options })
  }

  /** Reads an automation by id. */
  read(id: string, options?: CallOptions): Promise<Automation> {
    return this.http.call('GET', '/automations/{id}', { path: { id }, options })
  }

  /** Reads when an automation was last evaluated and fired, and why it did not fire. */
  status(id: string, options?: CallOptions): Promise<AutomationStatus> {
    return this.http.call('GET', '/automations/{id}/status', { path: { id }, options })
  }

  /** Lists the automations that are related to a resource, such as `prefect.deployment.<id>`. */
  listRelatedTo(resourceId: string, options?: CallOptions): Promise<Automation[]> {
    return this.http.call('GET', '/automations/related-to/{resource_id}', { path: { resource_id: resourceId }, options })
  }

  /** Deletes the automations that a resource owns, such as `prefect.deployment.<id>`. */
  deleteOwnedBy(resourceId: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/automations/owned-by/{resource_id}', { path: { resource_id: resourceId }, options })
  }

  /** Checks the syntax of a template. Throws an `InvalidRequestError` if it is not valid. */
  validateTemplate(body: TemplateBody, options?: CallOptions): Promise<void> {
    return this.http.call('POST', '/templates/validate', { body, isIdempotent: true, options })
  }

  /** Does the same as `validateTemplate`, at the path that older clients use. */
  validateActionTemplate(body: TemplateBody, options?: CallOptions): Promise<void> {
    return this.http.call('POST', '/automations/templates/validate', { body, isIdempotent: true, options })
  }
}
