import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { unauthorized } from '../errors.ts'
import type { Scope } from '../lib/route.ts'

/** Compares digests, which have the same length, so that the comparison takes constant time. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

/** Requires the user and password on every route that is not public; requires nothing without one. Uses the scope of the route, not the path. */
export function basicAuth(authString: string | null): (request: FastifyRequest, route: { readonly scope: Scope }) => void {
  if (!authString) return () => {}
  return (request, { scope }) => {
    if (scope === 'public') return
    const [scheme = '', encoded = ''] = (request.headers.authorization ?? '').split(' ')
    const given = Buffer.from(encoded, 'base64').toString('utf8')
    if (scheme.toLowerCase() !== 'basic' || !isSameSecret(given, authString)) throw unauthorized()
  }
}
