import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { describeError } from '../api/describe-error.ts'
import { ErrorState } from '../ui/error-state.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'

interface QueryViewProps<T> {
  readonly query: UseQueryResult<T>
  readonly skeleton?: ReactNode
  readonly compact?: boolean
  children(data: T): ReactNode
}

/** Shows a skeleton, an error or the data of a query. Data stays visible if a refetch fails. */
export function QueryView<T>({ query, skeleton = <SkeletonRows />, compact = false, children }: QueryViewProps<T>) {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <ErrorState {...describeError(query.error)} compact={compact} onRetry={() => void query.refetch()} />
  return skeleton
}
