import type { FastifyReply, FastifyRequest } from 'fastify'
import { addVary } from './answer-headers.ts'

const preflightSecondsMax = 600

/** Answers of ours that a page may want to read beside the body. */
const exposed = 'x-request-id, retry-after, content-disposition'

/** Lists of header names, as browsers ask for them. */
const headerNames = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/

/**
 * Lets pages of the given origins call the API from a browser; `*` is any origin. Pages of listed origins may send the credentials that the
 * browser knows; with `*` never: any page that a person visits could act in that person's name.
 *
 * Says of a request whether it was a browser's question in advance, which is then answered.
 */
export function corsPolicy(origins: readonly string[]): ((request: FastifyRequest, reply: FastifyReply) => boolean) | undefined {
  if (origins.length === 0) return undefined
  const isAny = origins.includes('*')
  const known = new Set(origins.map(plainOrigin))
  return (request, reply) => {
    if (!isAny) addVary(reply, 'origin')
    const { origin } = request.headers
    const isAsking = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    if (origin === undefined || !(isAny || known.has(origin.toLowerCase()))) return false
    reply.header('access-control-allow-origin', isAny ? '*' : origin)
    if (!isAny) reply.header('access-control-allow-credentials', 'true')
    if (isAsking) allow(request, reply)
    else reply.header('access-control-expose-headers', exposed)
    return isAsking
  }
}

function allow(request: FastifyRequest, reply: FastifyReply): void {
  const wanted = request.headers['access-control-request-headers']
  reply.header('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE')
  if (wanted !== undefined && headerNames.test(wanted)) reply.header('access-control-allow-headers', wanted)
  reply.header('access-control-max-age', preflightSecondsMax).code(204)
}

/** Browsers name an origin without a slash at its end, and in lower case. */
const plainOrigin = (origin: string): string => origin.toLowerCase().replace(/\/+$/, '')
