import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { normaliseOrigin } from './origin-check.ts'
import { addVary } from './response-headers.ts'

const preflightSecondsMax = 600

/** Headers of ours that a page may want to read beside the body. */
const exposedHeaders = 'x-request-id, retry-after, content-disposition'

/** Lists of header names, as browsers ask for them. */
const headerNames = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/

/**
 * Lets pages of the given origins call the API from a browser; `*` is any origin. Pages of listed origins may send the credentials that the
 * browser knows; with `*` never: any page that a person visits could act in that person's name.
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return
  const isAny = origins.includes('*')
  const known = new Set(origins.map(normaliseOrigin))
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers
    if (origin === undefined || !(isAny || known.has(origin.toLowerCase()))) return done()
    reply.header('access-control-allow-origin', isAny ? '*' : origin)
    if (!isAny) reply.header('access-control-allow-credentials', 'true')
    if (isPreflight(request)) return answerPreflight(request, reply)
    reply.header('access-control-expose-headers', exposedHeaders)
    done()
  })
  if (isAny) return
  // At the end, because others say what an answer depends on as well.
  app.addHook('onSend', (_request, reply, payload, done) => {
    addVary(reply, 'origin')
    done(null, payload)
  })
}

/** Browsers ask in advance, without credentials, whether they may send what a page wants to. */
const isPreflight = ({ method, headers }: FastifyRequest): boolean => method === 'OPTIONS' && headers['access-control-request-method'] !== undefined

function answerPreflight(request: FastifyRequest, reply: FastifyReply): void {
  const wanted = request.headers['access-control-request-headers']
  if (wanted !== undefined && headerNames.test(wanted)) reply.header('access-control-allow-headers', wanted)
  reply.header('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE').header('access-control-max-age', preflightSecondsMax)
  void reply.code(204).send()
}
