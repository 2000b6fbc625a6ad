import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, redirect } from '@tanstack/react-router'
import { FailedPage } from '../features/shell/failed-page.tsx'
import { addressById } from '../features/shell/find-by-id.ts'
import { MissingPage } from '../features/shell/missing-page.tsx'
import { poolIdIn, queueIdIn } from '../features/shell/old-address.ts'
import { Shell } from '../features/shell/shell.tsx'

export const Route = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  beforeLoad: async ({ location }) => {
    if (!poolIdIn(location.pathname) && !queueIdIn(location.pathname)) return
    const address = await addressById(location.pathname)
    if (address !== undefined) throw redirect({ to: address, replace: true })
  },
  component: Shell,
  errorComponent: FailedPage,
  notFoundComponent: MissingPage,
})
