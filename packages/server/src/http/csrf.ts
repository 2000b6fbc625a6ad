import type { FastifyRequest } from 'fastify'
import { forbidden } from '../errors.ts'

const unsafeMethods = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Both spellings of the headers, as clients send them. */
const readHeader = (request: FastifyRequest, name: 'token' | 'client'): string | undefined => {
  const value = request.headers[`prefect-csrf-${name}`] ?? request.headers[`service-csrf-${name}`]
  return typeof value === 'string' ? value : undefined
}

/**
 * Refuses requests that could change something (queries by POST too: what a request does is not told by its path) unless they carry the
 * token that their client was given: a page of another origin can send a request, but not read a token. Existing clients look for the
 * words "Invalid CSRF token", fetch another and try again.
 */
export function csrfCheck(isGood: (client: string, token: string) => Promise<boolean>): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    if (!unsafeMethods.has(request.method)) return
    const token = readHeader(request, 'token')
    const client = readHeader(request, 'client')
    if (token === undefined) throw forbidden('Missing CSRF token: get one from /csrf-token and send it as the header `prefect-csrf-token`')
    if (client === undefined) throw forbidden('Missing client: send the one that the CSRF token was given to as the header `prefect-csrf-client`')
    if (!(await isGood(client, token))) throw forbidden('Invalid CSRF token: it is not the last that this client was given, or has expired')
  }
}
