import type { IncomingHttpHeaders } from 'node:http'

/** Existing workers give their name under a header of their own. */
export function copyWorkerNameHeader(headers: IncomingHttpHeaders): void {
  const name = headers['x-prefect-worker-name']
  if (name !== undefined) headers['x-service-worker'] ??= name
}
