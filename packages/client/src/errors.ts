import type { ValidationError } from '@millrace/contracts/error.ts'

/** Base class of all errors of the client. An aborted call rejects with the reason of its signal instead. */
export class MillraceError extends Error {
  override name = 'MillraceError'
}

/** The server returned an error. Match on `code`: the text of the message may change. */
export class ApiError extends MillraceError {
  override name = 'ApiError'
  readonly status: number
  /** Error code of the server, such as `NOT_FOUND`. Empty if the server did not send the response itself, for example a proxy did. */
  readonly code: string
  /** Id of the request in the log of the server. */
  readonly requestId: string | undefined
  /** Field errors of an invalid request, each with its location. */
  readonly validationErrors: readonly ValidationError[]
  /** Seconds after which the server asks to try again. */
  readonly retryAfterSeconds: number | undefined

  constructor({ status, code, requestId, message, validationErrors = [], retryAfterSeconds }: ApiErrorFields) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = requestId
    this.validationErrors = validationErrors
    this.retryAfterSeconds = retryAfterSeconds
  }
}

interface ApiErrorFields {
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined
  readonly message: string
  readonly validationErrors?: readonly ValidationError[]
  readonly retryAfterSeconds?: number | undefined
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

/** The request conflicts with stored data (409), such as a name that exists. */
export class ConflictError extends ApiError {
  override name = 'ConflictError'
}

/** The request is not valid (422). `validationErrors` names each field. */
export class InvalidRequestError extends ApiError {
  override name = 'InvalidRequestError'
}

/** No slot of a concurrency limit is free (423). Try again after `retryAfterSeconds`. */
export class SlotsFullError extends ApiError {
  override name = 'SlotsFullError'
}

/** The server cannot serve the request now, also after the retries (408, 429, 502, 503, 504). */
export class UnavailableError extends ApiError {
  override name = 'UnavailableError'
}

/** The response is not JSON, most likely because the URL is not that of the API, or a proxy answered. */
export class InvalidResponseError extends ApiError {
  override name = 'InvalidResponseError'
}

/** The server cannot be reached, or the connection broke. `cause` has the error of the network. */
export class ConnectionError extends MillraceError {
  override name = 'ConnectionError'
  /** Such as `ECONNREFUSED`. Empty in browsers, which give no reason. */
  readonly code: string

  constructor(message: string, { code = '', cause }: { readonly code?: string; readonly cause?: unknown } = {}) {
    super(message, { cause })
    this.code = code
  }
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
  423: SlotsFullError,
  429: UnavailableError,
  502: UnavailableError,
  503: UnavailableError,
  504: UnavailableError,
}

interface ErrorResponse {
  readonly status: number
  /** The body, which is not JSON if a proxy answered. */
  readonly text: string
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
  /** Method and URL, for the message of a response without one. */
  readonly request: string
}

/** Builds the error of a response. */
export function toApiError({ status, text, requestId, retryAfterSeconds, request }: ErrorResponse): ApiError {
  const { detail, code, request_id } = parseErrorBody(text)
  const validationErrors = Array.isArray(detail) ? detail.filter(isValidationError) : []
  const ErrorClass = classesByStatus[status] ?? ApiError
  return new ErrorClass({
    status,
    code: typeof code === 'string' ? code : '',
    requestId: typeof request_id === 'string' ? request_id : requestId,
    message: errorMessage(detail, validationErrors) ?? `${request} returned HTTP ${status}`,
    validationErrors,
    retryAfterSeconds,
  })
}

function errorMessage(detail: unknown, validationErrors: readonly ValidationError[]): string | undefined {
  if (validationErrors.length > 0) return validationErrors.map(formatValidationError).join('; ')
  return typeof detail === 'string' && detail !== '' ? detail : undefined
}

/** The first part of a location is `body`, `path` or `query`. */
function formatValidationError({ loc, msg }: ValidationError): string {
  const field = loc.slice(1).join('.')
  return field === '' ? msg : `${field}: ${msg}`
}

const isValidationError = (value: unknown): value is ValidationError =>
  typeof value === 'object' && value !== null && 'loc' in value && Array.isArray(value.loc) && 'msg' in value && typeof value.msg === 'string'

function parseErrorBody(text: string): Record<string, unknown> {
  try {
    const body = JSON.parse(text) as unknown
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
