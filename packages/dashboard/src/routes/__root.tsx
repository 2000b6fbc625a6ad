import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, redirect } from '@tanstack/react-router'
import { ErrorPage, NotFoundPage } from '../features/shell/fallback-pages.tsx'
import { poolIdInPath, queueIdInPath } from '../features/shell/legacy-paths.ts'
import { resolvePathById } from '../features/shell/resolve-path-by-id.ts'
import { Shell } from '../features/shell/shell.tsx'

export const Route = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  beforeLoad: async ({ location }) => {
    if (!poolIdInPath(location.pathname) && !queueIdInPath(location.pathname)) return
    const address = await resolvePathById(location.pathname)
    if (address !== undefined) throw redirect({ to: address, replace: true })
  },
  component: Shell,
  errorComponent: ErrorPage,
  notFoundComponent: NotFoundPage,
})
