import type { Variable, VariableCreate, VariablesCountBody, VariablesFilterBody, VariableUpdate } from '@millrace/contracts/variable.ts'
import type { CallOptions } from '../http.ts'
import { iterateByOffset, type PageOptions } from '../pages.ts'
import { OperationGroup } from './operation-group.ts'

/** Named JSON values. */
export class Variables extends OperationGroup {
  /** Creates a variable. Throws a `ConflictError` if one has this name. */
  create(body: VariableCreate, options?: CallOptions): Promise<Variable> {
    return this.http.call('POST', '/variables/', { body, options })
  }

  /** Reads a variable by id. */
  read(id: string, options?: CallOptions): Promise<Variable> {
    return this.http.call('GET', '/variables/{id}', { path: { id }, options })
  }

  /** Reads a variable by name. */
  readByName(name: string, options?: CallOptions): Promise<Variable> {
    return this.http.call('GET', '/variables/name/{name}', { path: { name }, options })
  }

  /** Lists variables, by name by default. */
  list(body: VariablesFilterBody = {}, options?: CallOptions): Promise<Variable[]> {
    return this.http.call('POST', '/variables/filter', { body, isIdempotent: true, options })
  }

  /** Iterates over all matching items, page by page. */
  listAll(body: Omit<VariablesFilterBody, 'offset' | 'limit'> = {}, options?: PageOptions): AsyncGenerator<Variable, void, undefined> {
    return iterateByOffset((page, call) => this.list({ ...body, ...page }, call), options)
  }

  /** Counts variables. */
  count(body: VariablesCountBody = {}, options?: CallOptions): Promise<number> {
    return this.http.call('POST', '/variables/count', { body, isIdempotent: true, options })
  }

  /** Updates the given fields of a variable. */
  update(id: string, body: VariableUpdate, options?: CallOptions): Promise<void> {
    return this.http.call('PATCH', '/variables/{id}', { path: { id }, body, options })
  }

  /** Updates the given fields of a variable by name. */
  updateByName(name: string, body: VariableUpdate, options?: CallOptions): Promise<void> {
    return this.http.call('PATCH', '/variables/name/{name}', { path: { name }, body, options })
  }

  /** Deletes a variable. */
  delete(id: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/variables/{id}', { path: { id }, options })
  }

  /** Deletes a variable by name. */
  deleteByName(name: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/variables/name/{name}', { path: { name }, options })
  }
}
