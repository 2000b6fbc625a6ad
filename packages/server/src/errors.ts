/** Every error the API answers with: one line each, matched by `code`. `docs/errors.md` is made from this file. */
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

/** What the catalogue holds, for the documentation and its test. */
export const catalogue: ErrorKind[] = []

function define<A extends readonly string[]>(
  code: string,
  status: number,
  message: (...values: A) => string,
  headers?: Readonly<Record<string, string>>,
) {
  catalogue.push({ code, status, example: message(...(Array.from({ length: message.length }, () => '…') as unknown as A)) })
  return (...values: A) => new ApiError(code, status, message(...values), headers)
}

const retrySoon = { 'retry-after': '1' }

export const notFound = define('NOT_FOUND', 404, (what: string) => `${what} not found`)
export const noSuchRoute = define('NO_SUCH_ROUTE', 404, (method: string, path: string) => `Nothing answers ${method} ${path}`)
export const conflict = define('CONFLICT', 409, (why: string) => why)
export const alreadyExists = define('ALREADY_EXISTS', 409, (what: string) => `${what} already exists`)
export const unknownReference = define('UNKNOWN_REFERENCE', 409, (what: string) => `${what} does not exist`)
export const badRequest = define('BAD_REQUEST', 400, (why: string) => why)
export const forbidden = define('FORBIDDEN', 403, (why: string) => why)
export const originNotAllowed = define(
  'ORIGIN_NOT_ALLOWED',
  403,
  (origin: string) =>
    `Requests from pages of the origin ${origin} are refused. Add the origin to MILLRACE_SERVER_API_CORS_ALLOWED_ORIGINS to allow them, or set MILLRACE_SERVER_UI_URL if it is this server's own address behind a proxy.`,
)
export const hostNotAllowed = define(
  'HOST_NOT_ALLOWED',
  421,
  (host: string) =>
    `This server does not answer for the host ${host}. Add it to MILLRACE_SERVER_ALLOWED_HOSTS, or ask for a password (MILLRACE_SERVER_API_AUTH_STRING).`,
)
export const unauthorized = define('UNAUTHORIZED', 401, () => 'Credentials are missing or wrong', { 'www-authenticate': 'Basic realm="millrace"' })
export const bodyTooLarge = define('BODY_TOO_LARGE', 413, (limit: string) => `The request's body is larger than ${limit} bytes`)
export const bodyTooSlow = define('BODY_TOO_SLOW', 408, () => "The request's body came too slowly")
export const bodiesFull = define(
  'BODIES_FULL',
  503,
  () => 'Too many large request bodies are held at once (server.body_memory_limit_bytes); try again in a moment',
  retrySoon,
)
export const unsupportedBody = define('UNSUPPORTED_BODY', 415, (why: string) => `The request's body cannot be read: ${why}`)
export const tooLarge = define('TOO_LARGE', 413, (why: string) => why)
export const slotsFull = define('SLOTS_FULL', 423, (why: string) => why)
export const leaseGone = define('LEASE_GONE', 410, (id: string) => `The lease ${id} has expired or was released`)
export const secretsUnreadable = define(
  'SECRETS_UNREADABLE',
  500,
  (id: string) =>
    `The key ${id}, which this was encrypted with, is not here: bring back the key file of the database, or name the key in the setting`,
)
export const overloaded = define('OVERLOADED', 503, () => 'Too many writes are waiting; try again in a moment', retrySoon)
export const schemaChecksBusy = define(
  'SCHEMA_CHECKS_BUSY',
  503,
  () => 'Too many checks by JSON schemas are waiting. Try again in a moment.',
  retrySoon,
)
export const closing = define('CLOSING', 503, () => 'The server is closing down; try again in a moment', retrySoon)
export const internal = define('INTERNAL', 500, () => 'Internal Server Error')

export const notReady = define('NOT_READY', 503, (why: string) => `The database cannot be reached or does not take writes: ${why}`, retrySoon)

const unavailableNow = define('UNAVAILABLE', 503, (why: string) => `The database cannot take this now: ${why}`, retrySoon)
export const unavailable = (cause: unknown): ApiError => {
  const error = unavailableNow(reasonOf(cause))
  error.cause = cause
  return error
}

/** Node throws the failures of all addresses of a name together, without a message of its own. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === '' && cause.errors.length > 0) return reasonOf(cause.errors[0])
  return cause instanceof Error && cause.message !== '' ? cause.message : 'unknown reason'
}

/** With when to ask again; existing clients read fractions of a second too. */
export const slotsFullFor = (why: string, seconds: number): ApiError => {
  const { code, status, message } = slotsFull(why)
  return new ApiError(code, status, message, { 'retry-after': String(Math.round(seconds * 1000) / 1000) })
}

const methodNotAllowedKind = define('METHOD_NOT_ALLOWED', 405, (method: string) => `${method} is not offered here`)
export const methodNotAllowed = (method: string, allowed: readonly string[]): ApiError => {
  const { code, status, message } = methodNotAllowedKind(method)
  return new ApiError(code, status, message, { allow: allowed.join(', ') })
}

/** One fault of a request. `type` is a word of the v3 API's vocabulary. */
export interface Fault {
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly type: string
  readonly input?: unknown
  readonly ctx?: Readonly<Record<string, unknown>>
}

/** 422: what is wrong with a request, all of it at once. */
export class InvalidRequest extends ApiError {
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    super('INVALID_REQUEST', 422, 'The request is not valid')
    this.faults = faults
  }
}
catalogue.push({ code: 'INVALID_REQUEST', status: 422, example: 'The request is not valid: `detail` lists each fault with its place' })

/** A request that is refused because it takes too long, or too much memory, to check by its schema. */
export class CheckLimit extends InvalidRequest {
  constructor(loc: Fault['loc'], msg: string) {
    super([{ loc, msg, type: 'value_error', ctx: { error: msg } }])
  }
}

/** A fault that only the domain can see. */
export const invalid = (loc: readonly (string | number)[], msg: string, input?: unknown): InvalidRequest =>
  new InvalidRequest([{ loc, msg, type: 'value_error', input, ctx: { error: msg } }])
