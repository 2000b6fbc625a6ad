import { type ApiError, methodNotAllowed, noSuchRoute } from '../errors.ts'
import { parseUuid } from '../lib/ids.ts'
import type { Route } from '../lib/route.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Returns 405 if the path has a route with another method, else 404. */
export function noRouteError(routes: readonly Route[], method: string, url: string): ApiError {
  const path = url.split('?')[0] ?? url
  const allowed = methods.filter((other) => other !== method && hasRoute(routes, other, path))
  return allowed.length > 0 ? methodNotAllowed(method, allowed) : noSuchRoute(method, path)
}

/** Whether a route matches the method and path. Id parameters only match UUIDs. */
function hasRoute(routes: readonly Route[], method: string, path: string): boolean {
  const parts = path.replace(/\/$/, '').split('/')
  return routes.some((route) => {
    if (route.method !== method) return false
    const segments = route.path.replace(/\/$/, '').split('/')
    return segments.length === parts.length && segments.every((segment, index) => matchesSegment(route, segment, parts[index] as string))
  })
}

function matchesSegment(route: Route, segment: string, given: string): boolean {
  if (!segment.startsWith(':')) return segment === given
  const { properties } = (route.params ?? {}) as { properties?: Record<string, { format?: string }> }
  return properties?.[segment.slice(1)]?.format === 'uuid' ? parseUuid(given) !== undefined : given !== ''
}
