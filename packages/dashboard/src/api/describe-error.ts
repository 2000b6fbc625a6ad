import { ApiError, ConnectionError, TimeoutError } from '@millrace/client/errors.ts'

/** Title, detail and request id of an error, for display. */
export function describeError(error: unknown): { title: string; detail?: string; requestId?: string | undefined } {
  if (error instanceof ApiError) {
    const title = titles[error.status] ?? 'The request failed'
    return { title, detail: error.message, requestId: error.requestId }
  }
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    return { title: 'Cannot reach the server', detail: 'It may be starting, or the network may be down.' }
  }
  return { title: 'Something went wrong on this page', detail: error instanceof Error ? error.message : String(error) }
}

const titles: Record<number, string> = {
  401: 'Sign in required',
  403: 'Permission denied',
  404: 'Not found',
  409: 'Conflict with existing data',
  422: 'Invalid request',
  500: 'Internal server error',
  503: 'The server is busy',
}
