import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { unauthorized } from '../errors.ts'
import type { Scope } from '../lib/route.ts'

/** Compares in constant time whatever the lengths: digests are equally long. */
export function isSameSecret(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(wanted))
}

/** One pair of user and password asks every caller for it; without one everybody may call. Judged by the route's scope, never by the path's text. */
export function basicAuth(authString: string | null): (request: FastifyRequest, route: { readonly scope: Scope }) => void {
  if (!authString) return () => {}
  return (request, { scope }) => {
    if (scope === 'public') return
    const [scheme = '', encoded = ''] = (request.headers.authorization ?? '').split(' ')
    const given = Buffer.from(encoded, 'base64').toString('utf8')
    if (scheme.toLowerCase() !== 'basic' || !isSameSecret(given, authString)) throw unauthorized()
  }
}
