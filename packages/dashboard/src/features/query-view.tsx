import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { describeError } from '../api/api-error.ts'
import { ErrorState } from '../ui/error-state.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'

interface QueryViewProps<T> {
  readonly query: UseQueryResult<T>
  readonly skeleton?: ReactNode
  readonly compact?: boolean
  children(data: T): ReactNode
}

/** What a query has to show: its shape while it is asked, what went wrong, or its answer. An answer that could not be refreshed stays. */
export function QueryView<T>({ query, skeleton = <SkeletonRows />, compact = false, children }: QueryViewProps<T>) {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <ErrorState {...describeError(query.error)} compact={compact} onRetry={() => void query.refetch()} />
  return skeleton
}
