import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext } from '@tanstack/react-router'
import { FailedPage } from '../features/shell/failed-page.tsx'
import { MissingPage } from '../features/shell/missing-page.tsx'
import { Shell } from '../features/shell/shell.tsx'

export const Route = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Shell,
  errorComponent: FailedPage,
  notFoundComponent: MissingPage,
})
