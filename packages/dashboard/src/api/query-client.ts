import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'

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
