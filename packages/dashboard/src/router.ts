import { createRouter } from '@tanstack/react-router'
import { routeTree } from '../generated/route-tree.ts'
import { basePath } from './api/client.ts'
import { queryClient } from './api/query-client.ts'
import { parseSearch, stringifySearch } from './search-params.ts'

export const router = createRouter({
  routeTree,
  basepath: basePath || '/',
  context: { queryClient },
  defaultPreload: 'intent',
  // TanStack Query decides about freshness.
  defaultPreloadStaleTime: 0,
  parseSearch,
  stringifySearch,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
