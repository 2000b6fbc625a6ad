import type { EventPage } from '@millrace/contracts/event.ts'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { describeError } from '../../api/describe-error.ts'
import { eventCountsQuery, eventPagesQuery } from '../../api/events.ts'
import { now } from '../../ui/clock.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Page } from '../../ui/page.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { Skeleton, SkeletonRows } from '../../ui/skeleton.tsx'
import { useNarrow } from '../../ui/use-narrow.ts'
import { HeadCell, HeadRow, VirtualRows } from '../../ui/virtual-rows.tsx'
import type { SearchChange } from '../../use-search-change.ts'
import { EventFilters } from './event-filters.tsx'
import { EventHistogram } from './event-histogram.tsx'
import { EventPanel } from './event-panel.tsx'
import { EventRow, eventGrid } from './event-row.tsx'
import { chooseTimeBuckets, type EventsSearch, eventsFilter, resolveTimeRange } from './events-search.ts'
import { dedupeNewestFirst, useLiveEvents } from './use-live-events.ts'

interface EventsPageProps {
  readonly search: EventsSearch
  readonly onSearch: SearchChange<EventsSearch>
}

/** Event log. Live unless the range has an end. */
export function EventsPage({ search, onSearch }: EventsPageProps) {
  const { span_hours } = usePreferences()
  const narrow = useNarrow()
  const { open, ...filters } = search
  const key = JSON.stringify(filters)
  // The range is fixed when the search starts: later events arrive over the socket.
  const { range, filter } = useMemo(() => {
    const found = resolveTimeRange(JSON.parse(key) as EventsSearch, now(), span_hours)
    return { range: found, filter: eventsFilter(JSON.parse(key) as EventsSearch, found) }
  }, [key, span_hours])
  const { spans, countFilter } = useMemo(
    () => ({ spans: chooseTimeBuckets(range), countFilter: { ...filter, occurred: { ...filter.occurred, until: countRangeEnd(range) } } }),
    [range, filter],
  )
  const pages = useInfiniteQuery(eventPagesQuery(filter))
  const counts = useQuery(eventCountsQuery('time', { filter: countFilter, time_unit: spans.time_unit, time_interval: spans.time_interval }))
  const live = useLiveEvents(
    useMemo(() => (range.isOpen ? { ...filter, occurred: { since: new Date(range.until).toISOString() } } : undefined), [filter, range]),
  )
  useCountRefresh(live.length)

  const rows = useMemo(() => dedupeNewestFirst([...live, ...(pages.data?.pages.flatMap(({ events }) => events) ?? [])]), [live, pages.data])
  const total = countTotal(pages.data?.pages, rows.length)
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages
  const onRange = useCallback(
    (_first: number, last: number) => {
      if (last >= rows.length - 10 && hasNextPage && !isFetchingNextPage) void fetchNextPage()
    },
    [rows.length, hasNextPage, isFetchingNextPage, fetchNextPage],
  )
  const narrowTo = (since: number, until: number) => onSearch({ since: new Date(since).toISOString(), until: new Date(until).toISOString() })

  return (
    <Page
      title="Events"
      fill
      titleAside={
        total !== undefined && (
          <span role="status" className="text-faint">
            {total.toLocaleString()}
          </span>
        )
      }
    >
      <EventFilters search={search} range={range} onChange={onSearch} />
      <div className="card mb-3 shrink-0 px-3 pt-2">
        {counts.data ? <EventHistogram counts={counts.data} onRange={narrowTo} /> : <Skeleton className="h-18" />}
      </div>
      <div className="flex min-h-0 flex-1 gap-3">
        {pages.isError && rows.length === 0 ? (
          <ErrorState {...describeError(pages.error)} onRetry={() => void pages.refetch()} />
        ) : pages.data === undefined ? (
          <div className="flex-1">
            <SkeletonRows rows={14} label="Loading events" />
          </div>
        ) : rows.length === 0 ? (
          <NoEvents filtered={Object.keys(filters).length > 0} />
        ) : (
          <VirtualRows
            label="Events"
            className="min-w-0"
            count={rows.length}
            rowHeight={34}
            onRange={onRange}
            head={
              narrow ? undefined : (
                <HeadRow className={eventGrid}>
                  <HeadCell>Time</HeadCell>
                  <HeadCell>Event</HeadCell>
                  <HeadCell>Resource</HeadCell>
                  <HeadCell>Related</HeadCell>
                </HeadRow>
              )
            }
            row={(index) => rows[index] && <EventRow event={rows[index]} search={search} narrow={narrow} />}
          />
        )}
        {open && !narrow && <EventPanel open={open} onClose={() => onSearch({ open: undefined })} />}
      </div>
    </Page>
  )
}

/** Server count plus events received since. */
function countTotal(pages: readonly EventPage[] | undefined, rows: number): number | undefined {
  const first = pages?.[0]
  return pages && first && first.total + rows - pages.reduce((sum, { events }) => sum + events.length, 0)
}

/** Rounded up, so that the current bucket is complete and the query stays the same for a minute. */
const countRangeEnd = ({ until, isOpen }: { until: number; isOpen: boolean }): string =>
  new Date(isOpen ? Math.ceil(until / 60_000) * 60_000 : until).toISOString()

const countRefreshSeconds = 2

/** Refetches counts for events from the socket, at most every few seconds. */
function useCountRefresh(received: number): void {
  const queryClient = useQueryClient()
  const [refreshed, setRefreshed] = useState(0)
  useEffect(() => {
    if (received === refreshed || received === 0) return
    const timer = window.setTimeout(() => {
      setRefreshed(received)
      void queryClient.invalidateQueries({ queryKey: ['events', 'counts'] })
    }, countRefreshSeconds * 1000)
    return () => window.clearTimeout(timer)
  }, [received, refreshed, queryClient])
}

function NoEvents({ filtered }: { readonly filtered: boolean }) {
  return filtered ? (
    <EmptyState title="No results">Clear filters, or extend the time range.</EmptyState>
  ) : (
    <EmptyState
      title="No events yet"
      command={"python -c \"from prefect.events import emit_event; emit_event('hello', resource={'prefect.resource.id': 'me'})\""}
    >
      Events of runs, deployments and workers appear here, and events that you emit.
    </EmptyState>
  )
}
