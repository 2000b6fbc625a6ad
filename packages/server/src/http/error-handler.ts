import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, badRequest, type Fault, InvalidRequest, internal, unsupportedBody } from '../errors.ts'
import { parseJson, rawJson, writeJson } from '../lib/json.ts'
import { closeUnreadBody } from './close-unread-body.ts'
import { excerpt } from './excerpt.ts'
import { isJsonType } from './read-body.ts'
import { addCommonHeaders } from './response-headers.ts'

/** Messages that existing clients show to users. */
const exceptionMessages: Record<number, string> = {
  401: 'Unauthorized',
  422: 'Invalid request received.',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

/** Longer inputs are shortened in the response. */
const inputCharactersMax = 2000

/** A longer body is not repeated in the response. */
const bodyCharactersMax = 16_384

/**
 * A preference (RFC 7240) of the dashboard: a 404 becomes 200 with the error as its body and `Preference-Applied`. Browsers log every 404 as a
 * console error, and a page that follows live events sometimes reads an object that was just deleted.
 */
const quietNotFound = 'not-found=ok'

export type AnyError = FastifyError | ApiError | Error

export interface ErrorOptions {
  /** Converts an internal error that the client can know about, such as an unavailable database. */
  explain?(error: Error): ApiError | undefined
}

export function handleErrors(app: FastifyInstance, options: ErrorOptions): void {
  app.setErrorHandler((error: AnyError, request, reply) => answerError(error, request, reply, options))
}

export function answerError(error: AnyError, request: FastifyRequest, reply: FastifyReply, options: ErrorOptions): FastifyReply {
  const apiError = toApiError(error, options)
  // While the database is unavailable or the server shuts down, many requests get a 503. One line each, without a stack.
  if (apiError.status === 503) request.log.warn({ code: apiError.code, request_id: request.id }, apiError.message)
  else if (apiError.status >= 500) request.log.error({ err: apiError.cause ?? error, request_id: request.id }, apiError.message)
  return sendError(reply, request, apiError)
}

export function sendError(reply: FastifyReply, request: FastifyRequest, error: ApiError): FastifyReply {
  addCommonHeaders(reply, request)
  reply.code(error.status).headers(error.headers).header('content-type', 'application/json')
  if (error.status === 404 && request.headers.prefer === quietNotFound)
    reply.code(200).header('preference-applied', quietNotFound).header('cache-control', 'no-store')
  closeUnreadBody(request, reply)
  return reply.send(errorText(error, request.id, error instanceof InvalidRequest ? sentBody(request) : null))
}

/** The body of an error response. A 422 has two more fields that existing clients read. */
export function errorText(error: ApiError, requestId: string, requestBody: unknown = null): string {
  const common = { code: error.code, request_id: requestId, exception_message: exceptionMessages[error.status] ?? error.message }
  if (!(error instanceof InvalidRequest)) return writeJson({ detail: error.message, ...common })
  const detail = withInputExcerpts(error.faults)
  return writeJson({ detail, ...common, exception_detail: detail, request_body: requestBody })
}

/** The body as JSON, or as text if it is not JSON. */
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

/** Shortens the inputs of the faults. Missing fields of an object share one input, so that excerpts are cached. */
function withInputExcerpts(faults: readonly Fault[]): Fault[] {
  const excerpts = new Map<unknown, unknown>()
  return faults.map((fault) => {
    if (fault.input === undefined) return fault
    if (!excerpts.has(fault.input)) excerpts.set(fault.input, inputExcerpt(fault.input))
    return { ...fault, input: excerpts.get(fault.input) }
  })
}

function inputExcerpt(value: unknown): unknown {
  const { text, isWhole } = excerpt(value, inputCharactersMax)
  return isWhole ? rawJson(text) : `${text}…`
}

function toApiError(error: AnyError, { explain }: ErrorOptions): ApiError {
  if (error instanceof ApiError) return error
  const { code, statusCode } = error as FastifyError
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupportedBody('the header Content-Type is not valid')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return badRequest(error.message)
  const explained = explain?.(error)
  if (explained) return explained
  const unexpected = internal()
  unexpected.cause = error
  return unexpected
}

const statusOfCode: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Answers input that is not HTTP in the format of all errors, and closes the connection. */
export function answerMalformedRequest(error: Error & { code?: string }, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy(error)
  const status = statusOfCode[error.code ?? ''] ?? '400 Bad Request'
  const body = errorText(badRequest(`Malformed HTTP request: ${status.slice(4)}`), requestId)
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${requestId}\r\nconnection: close\r\n\r\n${body}`,
  )
}
