import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { eventCountsQuery } from '../../api/events.ts'
import { now } from '../../ui/clock.ts'
import type { Suggestion } from './token-field.tsx'

const days = 7

/** One week before the first render, shared by all fields. */
function useSince(): string {
  const [since] = useState(() => new Date(Math.floor(now() / 3_600_000) * 3_600_000 - days * 86_400_000).toISOString())
  return since
}

const formatOccurrences = (count: number): string => `${count.toLocaleString()} in ${days} days`

/** Recent event names, most frequent first. */
export function useEventNameSuggestions(): Suggestion[] | undefined {
  const { data } = useQuery(eventCountsQuery('event', { filter: { occurred: { since: useSince() } } }))
  return data?.map(({ value, count }) => ({ value, note: formatOccurrences(count) }))
}

const resourcesMax = 200

export function useResourceSuggestions(): Suggestion[] | undefined {
  const { data } = useQuery(eventCountsQuery('resource', { filter: { occurred: { since: useSince() } } }))
  return data?.slice(0, resourcesMax).map(({ value, label }) => ({ value, note: label }))
}
