import type { FastifyRequest } from 'fastify'
import { forbidden } from '../errors.ts'

const unsafeMethods = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Clients send one of two header names. */
const readHeader = (request: FastifyRequest, name: 'token' | 'client'): string | undefined => {
  const value = request.headers[`prefect-csrf-${name}`] ?? request.headers[`service-csrf-${name}`]
  return typeof value === 'string' ? value : undefined
}

/**
 * Rejects requests other than GET without the CSRF token of their client, queries by POST included. A page of another origin can send a request but
 * cannot read a token. Existing clients look for the text "Invalid CSRF token", fetch a new token and retry.
 */
export function csrfCheck(isValid: (client: string, token: string) => Promise<boolean>): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    if (!unsafeMethods.has(request.method)) return
    const token = readHeader(request, 'token')
    const client = readHeader(request, 'client')
    if (token === undefined) throw forbidden('Missing CSRF token: get one from /csrf-token and send it in the header `prefect-csrf-token`')
    if (client === undefined) throw forbidden('Missing client: send the client of the CSRF token in the header `prefect-csrf-client`')
    if (!(await isValid(client, token))) throw forbidden('Invalid CSRF token: it has expired or was replaced by a newer one of this client')
  }
}
