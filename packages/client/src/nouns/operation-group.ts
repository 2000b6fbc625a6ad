import type { HttpClient } from '../http.ts'

/** Operations of one noun. A method sends one request; the path in it is that of the OpenAPI document. */
export abstract class OperationGroup {
  protected readonly http: HttpClient

  constructor(http: HttpClient) {
    this.http = http
  }
}
