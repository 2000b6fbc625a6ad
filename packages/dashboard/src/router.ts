import { ApiError } from '@millrace/client/errors.ts'
import { QueryClient } from '@tanstack/react-query'
import { createRouter } from '@tanstack/react-router'
import { routeTree } from '../generated/route-tree.ts'
import { basePath } from './api/client.ts'
import { parseSearch, stringifySearch } from './search-params.ts'

/** A retry helps only if the server was unreachable or overloaded. */
const isRetryable = (error: unknown): boolean => !(error instanceof ApiError) || error.status >= 502

/** The first element of every query key is its noun; `live-updates.ts` invalidates by it. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      gcTime: 300_000,
      retry: (failures, error) => failures < 2 && isRetryable(error),
      refetchOnWindowFocus: true,
    },
  },
})

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
