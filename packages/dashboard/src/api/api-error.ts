import type { ErrorBody, HTTPValidationError, ValidationError } from '@millrace/contracts/error.ts'

/** What an answer other than a success says, and the id by which the server's log knows of it. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined
  /** Of a request that is not valid: each fault and where it is. */
  readonly validationErrors: readonly ValidationError[]

  constructor(status: number, body: Partial<ErrorBody | HTTPValidationError>, requestId: string | undefined) {
    const faults = Array.isArray(body.detail) ? body.detail : []
    super(
      faults.length > 0
        ? faults.map(formatValidationError).join('; ')
        : typeof body.detail === 'string'
          ? body.detail
          : `The server answered ${status}`,
    )
    this.status = status
    this.code = body.code ?? ''
    this.requestId = body.request_id ?? requestId
    this.validationErrors = faults
  }
}

const formatValidationError = ({ loc, msg }: ValidationError): string => `${loc.slice(1).join('.')}: ${msg}`

/** An error as the pages show it. */
export function describeError(error: unknown): { title: string; detail?: string; requestId?: string | undefined } {
  if (error instanceof ApiError) {
    const title = titles[error.status] ?? 'The server could not do that'
    return { title, detail: error.message, requestId: error.requestId }
  }
  if (error instanceof TypeError) return { title: 'The server cannot be reached', detail: 'It may be starting, or the network is down.' }
  return { title: 'Something went wrong on this page', detail: error instanceof Error ? error.message : String(error) }
}

const titles: Record<number, string> = {
  401: 'Sign in to see this',
  403: 'You may not do that',
  404: 'Not found',
  409: 'That is in conflict with what is there',
  422: 'The server did not accept the request',
  500: 'The server ran into a fault of its own',
  503: 'The server is too busy at the moment',
}
