import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { normaliseOrigin } from './origin-check.ts'
import { addVary } from './response-headers.ts'

const preflightSecondsMax = 600

/** Response headers that a page can read. */
const exposedHeaders = 'x-request-id, retry-after, content-disposition'

/** A list of header names, as in `Access-Control-Request-Headers`. */
const headerNames = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/

/** Sets the headers for the origin of the request. Returns true if the request is a preflight, which it answers. */
type AnswerCors = (request: FastifyRequest, reply: FastifyReply) => boolean

/**
 * Allows pages of the given origins to call the API from a browser; `*` allows every origin. Pages of listed origins can send the credentials of the
 * browser. With `*` they cannot: any page that a user visits could act as that user. ADR 0017 says why this is not `@fastify/cors`.
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): AnswerCors | undefined {
  if (origins.length === 0) return undefined
  const isAny = origins.includes('*')
  const allowed = new Set(origins.map(normaliseOrigin))
  // In onSend, because other hooks add to `Vary` too.
  if (!isAny) {
    app.addHook('onSend', (_request, reply, payload, done) => {
      addVary(reply, 'origin')
      done(null, payload)
    })
  }
  return (request, reply) => {
    const { origin } = request.headers
    if (origin === undefined || !(isAny || allowed.has(origin.toLowerCase()))) return false
    reply.header('access-control-allow-origin', isAny ? '*' : origin)
    if (!isAny) reply.header('access-control-allow-credentials', 'true')
    if (isPreflight(request)) {
      answerPreflight(request, reply)
      return true
    }
    reply.header('access-control-expose-headers', exposedHeaders)
    return false
  }
}

/** Browsers send a preflight, without credentials, before some requests of a page. */
const isPreflight = ({ method, headers }: FastifyRequest): boolean => method === 'OPTIONS' && headers['access-control-request-method'] !== undefined

function answerPreflight(request: FastifyRequest, reply: FastifyReply): void {
  const requested = request.headers['access-control-request-headers']
  if (requested !== undefined && headerNames.test(requested)) reply.header('access-control-allow-headers', requested)
  reply.header('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE').header('access-control-max-age', preflightSecondsMax)
  void reply.code(204).send()
}
