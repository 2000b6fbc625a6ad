import type { ErrorBody, HTTPValidationError, ValidationError } from '@millrace/contracts/error.ts'

/** Error response of the server, with the request id that its log uses. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined
  /** Field errors of an invalid request, each with its location. */
  readonly validationErrors: readonly ValidationError[]

  constructor(status: number, body: Partial<ErrorBody | HTTPValidationError>, requestId: string | undefined) {
    const fieldErrors = Array.isArray(body.detail) ? body.detail : []
    super(
      fieldErrors.length > 0
        ? fieldErrors.map(formatValidationError).join('; ')
        : typeof body.detail === 'string'
          ? body.detail
          : `The server returned HTTP ${status}`,
    )
    this.status = status
    this.code = body.code ?? ''
    this.requestId = body.request_id ?? requestId
    this.validationErrors = fieldErrors
  }
}

const formatValidationError = ({ loc, msg }: ValidationError): string => `${loc.slice(1).join('.')}: ${msg}`

/** Title, detail and request id of an error, for display. */
export function describeError(error: unknown): { title: string; detail?: string; requestId?: string | undefined } {
  if (error instanceof ApiError) {
    const title = titles[error.status] ?? 'The request failed'
    return { title, detail: error.message, requestId: error.requestId }
  }
  if (error instanceof TypeError) return { title: 'Cannot reach the server', detail: 'It may be starting, or the network may be down.' }
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
