/** Every error of the API. Clients match on `code`. `docs/errors.md` is generated from this file. */
export class ApiError extends Error {
  readonly code: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(code: string, status: number, message: string, headers: Readonly<Record<string, string>> = {}, cause?: unknown) {
    super(message, { cause })
    this.code = code
    this.status = status
    this.headers = headers
  }
}

export interface ErrorKind {
  readonly code: string
  readonly status: number
  readonly example: string
}

/** All errors, for the documentation and its test. */
export const catalogue: ErrorKind[] = []

function defineError<A extends readonly string[]>(
  code: string,
  status: number,
  message: (...values: A) => string,
  headers?: Readonly<Record<string, string>>,
) {
  catalogue.push({ code, status, example: message(...(Array.from({ length: message.length }, () => '…') as unknown as A)) })
  return (...values: A) => new ApiError(code, status, message(...values), headers)
}

const retrySoon = { 'retry-after': '1' }

export const notFound = defineError('NOT_FOUND', 404, (what: string) => `${what} not found`)
export const noSuchRoute = defineError('NO_SUCH_ROUTE', 404, (method: string, path: string) => `No route for ${method} ${path}`)
export const conflict = defineError('CONFLICT', 409, (why: string) => why)
export const alreadyExists = defineError('ALREADY_EXISTS', 409, (what: string) => `${what} already exists`)
export const unknownReference = defineError('UNKNOWN_REFERENCE', 409, (what: string) => `${what} does not exist`)
export const outdatedAttempt = defineError(
  'OUTDATED_ATTEMPT',
  409,
  (attempt: string, current: string) =>
    `The record is of attempt ${attempt}, but the flow run is in attempt ${current}. Stop this attempt: it no longer runs the flow run.`,
)
export const badRequest = defineError('BAD_REQUEST', 400, (why: string) => why)
export const forbidden = defineError('FORBIDDEN', 403, (why: string) => why)
export const originNotAllowed = defineError(
  'ORIGIN_NOT_ALLOWED',
  403,
  (origin: string) =>
    `Origin ${origin} is not allowed. Add it to MILLRACE_SERVER_API_CORS_ALLOWED_ORIGINS, or set MILLRACE_SERVER_UI_URL if it is the address of this server behind a proxy.`,
)
export const hostNotAllowed = defineError(
  'HOST_NOT_ALLOWED',
  421,
  (host: string) => `Host ${host} is not allowed. Add it to MILLRACE_SERVER_ALLOWED_HOSTS, or set a password (MILLRACE_SERVER_API_AUTH_STRING).`,
)
export const unauthorized = defineError('UNAUTHORIZED', 401, () => 'Missing or wrong credentials', {
  'www-authenticate': 'Basic realm="millrace"',
})
const tooManyGuessesError = defineError(
  'TOO_MANY_GUESSES',
  429,
  (seconds: string) => `Too many wrong passwords from this address. Try again in ${seconds} seconds.`,
)
export const tooManyGuesses = (waitSeconds: number): ApiError => {
  const seconds = String(Math.ceil(waitSeconds))
  const { code, status, message } = tooManyGuessesError(seconds)
  return new ApiError(code, status, message, { 'retry-after': seconds })
}
export const bodyTooLarge = defineError('BODY_TOO_LARGE', 413, (limit: string) => `Request body is larger than ${limit} bytes`)
export const bodyTooSlow = defineError('BODY_TOO_SLOW', 408, () => 'Request body timed out')
export const bodyMemoryFull = defineError(
  'BODIES_FULL',
  503,
  () => 'Request body memory is full (server.body_memory_limit_bytes). Try again.',
  retrySoon,
)
export const unsupportedBody = defineError('UNSUPPORTED_BODY', 415, (why: string) => `Unsupported request body: ${why}`)
export const unsupportedTransferCoding = defineError(
  'UNSUPPORTED_TRANSFER_CODING',
  501,
  (coding: string) => `Unsupported transfer coding ${coding}: only chunked is supported. Send the body uncompressed.`,
)
export const tooLarge = defineError('TOO_LARGE', 413, (why: string) => why)
export const slotsFull = defineError('SLOTS_FULL', 423, (why: string) => why)
export const leaseGone = defineError('LEASE_GONE', 410, (id: string) => `Lease ${id} has expired or was released`)
export const secretsUnreadable = defineError(
  'SECRETS_UNREADABLE',
  500,
  (id: string) => `Encryption key ${id} not found. Restore the key file next to the database, or set MILLRACE_SERVER_ENCRYPTION_KEY.`,
)
export const overloaded = defineError('OVERLOADED', 503, () => 'Too many writes are queued. Try again.', retrySoon)
export const tooManyRequests = defineError(
  'TOO_MANY_REQUESTS',
  503,
  (limit: string) => `The server answers ${limit} other requests (server.requests_limit). Try again.`,
  retrySoon,
)
export const schemaChecksBusy = defineError('SCHEMA_CHECKS_BUSY', 503, () => 'Too many JSON schema validations are queued. Try again.', retrySoon)
export const closing = defineError('CLOSING', 503, () => 'The server is shutting down. Try again.', retrySoon)
export const internal = defineError('INTERNAL', 500, () => 'Internal Server Error')

export const notReady = defineError('NOT_READY', 503, (why: string) => `The database is unreachable or not writable: ${why}`, retrySoon)

const unavailableError = defineError('UNAVAILABLE', 503, (why: string) => `The database is unavailable: ${why}`, retrySoon)
export const unavailable = (cause: unknown): ApiError => {
  const error = unavailableError(reasonOf(cause))
  error.cause = cause
  return error
}

export const rowsHeld = (): ApiError =>
  unavailableError('another transaction has held a row that this request changes for three seconds. Try again, or end that transaction.')

/** Node combines the failures of all addresses of a host in an AggregateError without a message. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === '' && cause.errors.length > 0) return reasonOf(cause.errors[0])
  return cause instanceof Error && cause.message !== '' ? cause.message : 'unknown reason'
}

/** Adds `Retry-After`. Existing clients read fractions of a second. */
export const slotsFullWithRetry = (why: string, seconds: number): ApiError => {
  const { code, status, message } = slotsFull(why)
  return new ApiError(code, status, message, { 'retry-after': String(Math.round(seconds * 1000) / 1000) })
}

const methodNotAllowedError = defineError('METHOD_NOT_ALLOWED', 405, (method: string) => `Method ${method} not allowed`)
export const methodNotAllowed = (method: string, allowed: readonly string[]): ApiError => {
  const { code, status, message } = methodNotAllowedError(method)
  return new ApiError(code, status, message, { allow: allowed.join(', ') })
}

/** One fault of a request. `type` is an error type of the v3 API. */
export interface Fault {
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly type: string
  readonly input?: unknown
  readonly ctx?: Readonly<Record<string, unknown>>
}

/** 422 with all faults of a request. */
export class InvalidRequest extends ApiError {
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    super('INVALID_REQUEST', 422, 'The request is not valid')
    this.faults = faults
  }
}
catalogue.push({ code: 'INVALID_REQUEST', status: 422, example: 'The request is not valid: `detail` lists each fault with its location' })

/** Rejects a request whose validation takes too long or too much memory. */
export class CheckLimitExceeded extends InvalidRequest {
  constructor(loc: Fault['loc'], msg: string) {
    super([{ loc, msg, type: 'value_error', ctx: { error: msg } }])
  }
}

/** A fault that the schema of the contract does not find. */
export const invalid = (loc: readonly (string | number)[], msg: string, input?: unknown): InvalidRequest =>
  new InvalidRequest([{ loc, msg, type: 'value_error', input, ctx: { error: msg } }])
