import type { ValidationError } from '@millrace/contracts/error.ts'

/** Base class of all errors of the client. */
export class MillraceError extends Error {
  override name = 'MillraceError'
}

/** The server returned an error. Match on `code`: the text of the message may change. */
export class ApiError extends MillraceError {
  override name = 'ApiError'
  readonly status: number
  /** Error code of the server, such as `NOT_FOUND`. Empty if a proxy answered. */
  readonly code: string
  /** Id that the server's log uses for this request. */
  readonly requestId: string | undefined
  /** Field errors of an invalid request, each with its location. */
  readonly validationErrors: readonly ValidationError[]

  constructor({ status, code, requestId, message, validationErrors = [] }: ApiErrorFields) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = requestId
    this.validationErrors = validationErrors
  }
}

interface ApiErrorFields {
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined
  readonly message: string
  readonly validationErrors?: readonly ValidationError[]
}

/** Credentials are missing or wrong (401). */
export class UnauthorizedError extends ApiError {
  override name = 'UnauthorizedError'
}

/** The credentials do not permit the request (403). */
export class ForbiddenError extends ApiError {
  override name = 'ForbiddenError'
}

/** The item or the route does not exist (404). */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError'
}

/** The request conflicts with stored data (409). */
export class ConflictError extends ApiError {
  override name = 'ConflictError'
}

/** The request is not valid (422). `validationErrors` names each field. */
export class InvalidRequestError extends ApiError {
  override name = 'InvalidRequestError'
}

/** The server cannot serve the request now, also after the retries (408, 429, 502, 503, 504). */
export class UnavailableError extends ApiError {
  override name = 'UnavailableError'
}

/** The server cannot be reached, or the connection broke. `cause` has the error of the network. */
export class ConnectionError extends MillraceError {
  override name = 'ConnectionError'
}

/** No response within the time limit. */
export class TimeoutError extends MillraceError {
  override name = 'TimeoutError'
}

const classesByStatus: Readonly<Record<number, typeof ApiError>> = {
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  408: UnavailableError,
  409: ConflictError,
  422: InvalidRequestError,
  429: UnavailableError,
  502: UnavailableError,
  503: UnavailableError,
  504: UnavailableError,
}

/** Builds the error of a response. `text` is its body, which is not JSON if a proxy answered. */
export function toApiError(status: number, text: string, requestId: string | undefined): ApiError {
  const body = parseErrorBody(text)
  const validationErrors = Array.isArray(body.detail) ? (body.detail as ValidationError[]) : []
  const ErrorClass = classesByStatus[status] ?? ApiError
  return new ErrorClass({
    status,
    code: typeof body.code === 'string' ? body.code : '',
    requestId: typeof body.request_id === 'string' ? body.request_id : requestId,
    message: errorMessage(status, body.detail, validationErrors),
    validationErrors,
  })
}

function errorMessage(status: number, detail: unknown, validationErrors: readonly ValidationError[]): string {
  if (validationErrors.length > 0) return validationErrors.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ')
  return typeof detail === 'string' ? detail : `The server returned HTTP ${status}`
}

function parseErrorBody(text: string): Record<string, unknown> {
  try {
    const body = JSON.parse(text) as unknown
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
