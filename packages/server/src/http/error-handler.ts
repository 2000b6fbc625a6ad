import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, badRequest, bodyTooLarge, InvalidRequest, internal } from '../errors.ts'

/** The words that existing clients show to people. */
const spoken: Record<number, string> = {
  401: 'Unauthorized',
  422: 'Invalid request received.',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

/** Inputs longer than this are not repeated to the client. */
const inputCharactersMax = 2000

export function handleErrors(app: FastifyInstance, bodyBytesMax: number): void {
  app.setErrorHandler((error: FastifyError | ApiError | Error, request, reply) => {
    const known = asApiError(error, bodyBytesMax)
    if (known.status >= 500) request.log.error({ err: known.cause ?? error, request_id: request.id }, known.message)
    return sendError(reply, request, known)
  })
}

export function sendError(reply: FastifyReply, request: FastifyRequest, error: ApiError): FastifyReply {
  reply.code(error.status).headers(error.headers).header('content-type', 'application/json')
  const detail = error instanceof InvalidRequest ? error.faults.map(shortened) : error.message
  return reply.send(JSON.stringify({ detail, code: error.code, request_id: request.id, exception_message: spoken[error.status] ?? error.message }))
}

function shortened<F extends { input?: unknown }>(fault: F): F {
  const text = JSON.stringify(fault.input)
  return text !== undefined && text.length > inputCharactersMax ? { ...fault, input: `${text.slice(0, inputCharactersMax)}…` } : fault
}

function asApiError(error: FastifyError | ApiError | Error, bodyBytesMax: number): ApiError {
  if (error instanceof ApiError) return error
  const { code, statusCode } = error as FastifyError
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge(String(bodyBytesMax))
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return badRequest(error.message)
  const unexpected = internal()
  unexpected.cause = error
  return unexpected
}
