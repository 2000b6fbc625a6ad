import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, badRequest, type Fault, InvalidRequest, internal, unsupportedBody } from '../errors.ts'
import { parseJson, rawJson, writeJson } from '../lib/json.ts'
import { closeUnreadBody } from './close-unread-body.ts'
import { excerpt } from './excerpt.ts'
import { isJsonType } from './read-body.ts'
import { addCommonHeaders } from './response-headers.ts'

/** The words that existing clients show to people. */
const exceptionMessages: Record<number, string> = {
  401: 'Unauthorized',
  422: 'Invalid request received.',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

/** Inputs longer than this are not repeated to the client. */
const inputCharactersMax = 2000

/** A longer body is not repeated as a whole; its faults are. */
const bodyCharactersMax = 16_384

/**
 * A preference (RFC 7240) of the dashboard: what is not found is answered with 200, the error as its body and `Preference-Applied`. Browsers write
 * every 404 to the console as an error, and a page that follows live events reads now and then what was deleted a moment ago.
 */
const quietNotFound = 'not-found=ok'

export type AnyError = FastifyError | ApiError | Error

export interface ErrorOptions {
  /** What a client may hear of an error from below: that the database is away, for one. */
  explain?(error: Error): ApiError | undefined
}

export function handleErrors(app: FastifyInstance, options: ErrorOptions): void {
  app.setErrorHandler((error: AnyError, request, reply) => answerError(error, request, reply, options))
}

export function answerError(error: AnyError, request: FastifyRequest, reply: FastifyReply, options: ErrorOptions): FastifyReply {
  const known = toApiError(error, options)
  // While a database is away, or this server ends, many requests get a 503: a line each, without a trace.
  if (known.status === 503) request.log.warn({ code: known.code, request_id: request.id }, known.message)
  else if (known.status >= 500) request.log.error({ err: known.cause ?? error, request_id: request.id }, known.message)
  return sendError(reply, request, known)
}

export function sendError(reply: FastifyReply, request: FastifyRequest, error: ApiError): FastifyReply {
  addCommonHeaders(reply, request)
  reply.code(error.status).headers(error.headers).header('content-type', 'application/json')
  if (error.status === 404 && request.headers.prefer === quietNotFound)
    reply.code(200).header('preference-applied', quietNotFound).header('cache-control', 'no-store')
  closeUnreadBody(request, reply)
  return reply.send(errorText(error, request.id, error instanceof InvalidRequest ? sentBody(request) : null))
}

/** The body of an error. A 422 also has the two fields by which existing clients know one. */
export function errorText(error: ApiError, requestId: string, requestBody: unknown = null): string {
  const common = { code: error.code, request_id: requestId, exception_message: exceptionMessages[error.status] ?? error.message }
  if (!(error instanceof InvalidRequest)) return writeJson({ detail: error.message, ...common })
  const detail = withInputExcerpts(error.faults)
  return writeJson({ detail, ...common, exception_detail: detail, request_body: requestBody })
}

/** The body as it was sent: its JSON, or its text where it is none. */
function sentBody({ body, headers }: FastifyRequest): unknown {
  if (typeof body !== 'string' || body === '' || body.length > bodyCharactersMax) return null
  if (!isJsonType(headers['content-type'])) return body
  try {
    parseJson(body)
    return rawJson(body)
  } catch {
    return body
  }
}

/** The faults with what stood there, as it was sent but not at any length. Fields that are missing have the same whole in common. */
function withInputExcerpts(faults: readonly Fault[]): Fault[] {
  const known = new Map<unknown, unknown>()
  return faults.map((fault) => {
    if (fault.input === undefined) return fault
    if (!known.has(fault.input)) known.set(fault.input, inputExcerpt(fault.input))
    return { ...fault, input: known.get(fault.input) }
  })
}

function inputExcerpt(value: unknown): unknown {
  const { text, isWhole } = excerpt(value, inputCharactersMax)
  return isWhole ? rawJson(text) : `${text}…`
}

function toApiError(error: AnyError, { explain }: ErrorOptions): ApiError {
  if (error instanceof ApiError) return error
  const { code, statusCode } = error as FastifyError
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupportedBody('the content type is not one')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return badRequest(error.message)
  const explained = explain?.(error)
  if (explained) return explained
  const unexpected = internal()
  unexpected.cause = error
  return unexpected
}

const known: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** What is not HTTP never becomes a request; it is told so in the words of every other error, and the connection ends. */
export function answerMalformedRequest(error: Error & { code?: string }, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy(error)
  const status = known[error.code ?? ''] ?? '400 Bad Request'
  const body = errorText(badRequest(`This is not a request: ${status.slice(4)}`), requestId)
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${requestId}\r\nconnection: close\r\n\r\n${body}`,
  )
}
