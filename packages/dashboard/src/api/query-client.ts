import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'

/** Trying again helps when the server was not reached or was too busy, and only then. */
const isRetryable = (error: unknown): boolean => !(error instanceof ApiError) || error.status >= 502

/** The first word of every query's key is its noun: `live.ts` goes by it. */
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
