import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

/** The states that runs had, whose name or type begins with the text. */
export const observedStatesQuery = (text: string) =>
  queryOptions({
    queryKey: ['observed-states', text],
    queryFn: ({ signal }) => client.observedStates.list({ query: text.slice(0, 100) }, { signal }),
    placeholderData: keepPreviousData,
    // The server reads the whole history for it.
    staleTime: 60_000,
  })
