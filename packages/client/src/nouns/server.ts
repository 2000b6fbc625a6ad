import type { CsrfToken, ServerDefaultResultStorage, ServerDefaultResultStorageUpdate } from '@millrace/contracts/admin.ts'
import type { RetentionReport } from '@millrace/contracts/retention.ts'
import type { SchemaValidateBody, SchemaValuesValidationResponse } from '@millrace/contracts/schema-validation.ts'
import type { CallOptions } from '../http.ts'
import { OperationGroup } from './operation-group.ts'

export class ServerInfo extends OperationGroup {
  /** Liveness check. */
  isHealthy(options?: CallOptions): Promise<boolean> {
    return this.http.call('GET', '/health', { options })
  }

  /** Readiness check. */
  ready(options?: CallOptions): Promise<{ message: string }> {
    return this.http.call('GET', '/ready', { options })
  }

  /** Says hello. */
  hello(options?: CallOptions): Promise<string> {
    return this.http.call('GET', '/hello', { options })
  }

  /** Reads the API version. */
  apiVersion(options?: CallOptions): Promise<string> {
    return this.http.call('GET', '/version', { options })
  }

  /** Reads the version that clients compare with their own. */
  version(options?: CallOptions): Promise<string> {
    return this.http.call('GET', '/admin/version', { options })
  }

  /** Reads the server settings, without secrets. */
  settings(options?: CallOptions): Promise<Record<string, unknown>> {
    return this.http.call('GET', '/admin/settings', { options })
  }

  /** Reads retention settings, stored amounts and removed amounts. */
  retention(options?: CallOptions): Promise<RetentionReport> {
    return this.http.call('GET', '/admin/retention', { options })
  }

  /** Gets a CSRF token for a client. */
  createCsrfToken(client: string, options?: CallOptions): Promise<CsrfToken> {
    return this.http.call('GET', '/csrf-token', { query: { client }, options })
  }

  /** Reads the default result storage. */
  readResultStorage(options?: CallOptions): Promise<ServerDefaultResultStorage> {
    return this.http.call('GET', '/admin/storage', { options })
  }

  /** Sets the default result storage. */
  setResultStorage(body: ServerDefaultResultStorageUpdate, options?: CallOptions): Promise<ServerDefaultResultStorage> {
    return this.http.call('PUT', '/admin/storage', { body, options })
  }

  /** Clears the default result storage. */
  clearResultStorage(options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/admin/storage', { options })
  }

  /** Reads a collection of worker types or block types. */
  collection(view: string, options?: CallOptions): Promise<Record<string, unknown>> {
    return this.http.call('GET', '/collections/views/{view}', { path: { view }, options })
  }

  /** Validates form values. */
  validateSchemaValues(body: SchemaValidateBody, options?: CallOptions): Promise<SchemaValuesValidationResponse> {
    return this.http.call('POST', '/ui/schemas/validate', { body, isIdempotent: true, options })
  }
}
