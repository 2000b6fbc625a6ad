import { type ApiError, methodNotAllowed, noSuchRoute } from '../errors.ts'
import { parseUuid } from '../lib/ids.ts'
import type { Route } from '../lib/route.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** What to say to a request that no route takes: another method would do, or nothing is there at all. */
export function noRouteError(routes: readonly Route[], method: string, url: string): ApiError {
  const path = url.split('?')[0] ?? url
  const allowed = methods.filter((other) => other !== method && hasRoute(routes, other, path))
  return allowed.length > 0 ? methodNotAllowed(method, allowed) : noSuchRoute(method, path)
}

/** Whether a route of that method would take the path; ids have to be ids. */
function hasRoute(routes: readonly Route[], method: string, path: string): boolean {
  const parts = path.replace(/\/$/, '').split('/')
  return routes.some((route) => {
    if (route.method !== method) return false
    const wanted = route.path.replace(/\/$/, '').split('/')
    return wanted.length === parts.length && wanted.every((part, index) => matchesSegment(route, part, parts[index] as string))
  })
}

function matchesSegment(route: Route, wanted: string, given: string): boolean {
  if (!wanted.startsWith(':')) return wanted === given
  const { properties } = (route.params ?? {}) as { properties?: Record<string, { format?: string }> }
  return properties?.[wanted.slice(1)]?.format === 'uuid' ? parseUuid(given) !== undefined : given !== ''
}
