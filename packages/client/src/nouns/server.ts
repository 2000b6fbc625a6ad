import type { CsrfToken, ServerDefaultResultStorage, ServerDefaultResultStorageUpdate } from '@millrace/contracts/admin.ts'
import type { RetentionReport } from '@millrace/contracts/retention.ts'
import type { SchemaValidateBody, SchemaValuesValidationResponse } from '@millrace/contracts/schema-validation.ts'
import type { CallOptions } from '../http.ts'
import { OperationGroup } from './operation-group.ts'

/** The server itself: health, version, settings, retention. */
export class ServerInfo extends OperationGroup {
  /** Whether the server runs. It answers without credentials. */
  isHealthy(options?: CallOptions): Promise<boolean> {
    return this.http.call('GET', '/health', { options })
  }

  /** Resolves if the database can be reached and written. Otherwise throws an `UnavailableError`. */
  ready(options?: CallOptions): Promise<{ message: string }> {
    return this.http.call('GET', '/ready', { options })
  }

  /** Returns a greeting. */
  hello(options?: CallOptions): Promise<string> {
    return this.http.call('GET', '/hello', { options })
  }

  /** Reads the version of the API. */
  apiVersion(options?: CallOptions): Promise<string> {
    return this.http.call('GET', '/version', { options })
  }

  /** Reads the version that existing clients compare with their own. */
  version(options?: CallOptions): Promise<string> {
    return this.http.call('GET', '/admin/version', { options })
  }

  /** Reads the metrics in the text format of Prometheus. */
  metrics(options?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.http.stream('GET', '/metrics', { options })
  }

  /** Reads the settings of the server, without secrets. */
  settings(options?: CallOptions): Promise<Record<string, unknown>> {
    return this.http.call('GET', '/admin/settings', { options })
  }

  /** Reads the retention settings, and the amounts that are stored and were removed. */
  retention(options?: CallOptions): Promise<RetentionReport> {
    return this.http.call('GET', '/admin/retention', { options })
  }

  /** Creates a CSRF token for a client id. The client does this by itself when the server asks for one. */
  createCsrfToken(client: string, options?: CallOptions): Promise<CsrfToken> {
    return this.http.call('GET', '/csrf-token', { query: { client }, options })
  }

  /** Reads which block stores the results of flows by default. */
  readResultStorage(options?: CallOptions): Promise<ServerDefaultResultStorage> {
    return this.http.call('GET', '/admin/storage', { options })
  }

  /** Sets which block stores the results of flows by default. */
  setResultStorage(body: ServerDefaultResultStorageUpdate, options?: CallOptions): Promise<ServerDefaultResultStorage> {
    return this.http.call('PUT', '/admin/storage', { body, options })
  }

  /** Removes the default storage of results. */
  clearResultStorage(options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/admin/storage', { options })
  }

  /** Reads a collection: `aggregate-worker-metadata` has the types of workers, `aggregate-block-metadata` those of blocks. */
  collection(view: string, options?: CallOptions): Promise<Record<string, unknown>> {
    return this.http.call('GET', '/collections/views/{view}', { path: { view }, options })
  }

  /** Validates values against a JSON schema, for forms. */
  validateSchemaValues(body: SchemaValidateBody, options?: CallOptions): Promise<SchemaValuesValidationResponse> {
    return this.http.call('POST', '/ui/schemas/validate', { body, isIdempotent: true, options })
  }
}
