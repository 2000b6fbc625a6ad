import { describeTrigger, plainText } from '@millrace/client/vocabulary/describe-trigger.ts'
import type { EventTriggerDraft, TriggerDraft } from '@millrace/client/vocabulary/event-trigger.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { describeError } from '../../api/describe-error.ts'
import { eventCountsQuery, eventsQuery } from '../../api/events.ts'
import { now, useNow } from '../../ui/clock.ts'
import { Panel } from '../../ui/page.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { formatDuration } from '../../ui/time-format.ts'
import { TimeText } from '../../ui/time-text.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import { eventDay } from '../events/resource.ts'
import { ResourceLink } from '../events/resource-link.tsx'
import { listEventTriggers, triggerFilter } from './trigger-filter.ts'

const timeSpans = [
  { value: '1', label: '1 h' },
  { value: '24', label: '24 h' },
  { value: '168', label: '7 d' },
] as const

/** Recent events that match the edited trigger. */
export function MatchingEvents({ trigger }: { readonly trigger: TriggerDraft }) {
  const [hours, setHours] = useState('24')
  const triggers = listEventTriggers(trigger)
  return (
    <Panel title="Matching events" aside={<SegmentedControl label="Time range" value={hours} options={timeSpans} onChange={setHours} />}>
      <div className="flex flex-col gap-5 p-3.5">
        {triggers.map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: edited triggers have no id
          <TriggerMatches key={index} trigger={each} hours={Number(hours)} titled={triggers.length > 1} />
        ))}
      </div>
    </Panel>
  )
}

const eventsMax = 8

function TriggerMatches({ trigger, hours, titled }: { readonly trigger: EventTriggerDraft; readonly hours: number; readonly titled: boolean }) {
  // Rounded to the minute, so that the same trigger gives the same query.
  useNow(60)
  const since = new Date(Math.floor(now() / 60_000) * 60_000 - hours * 3_600_000).toISOString()
  const settled = JSON.parse(useDebounced(JSON.stringify(triggerFilter(trigger, since)))) as ReturnType<typeof triggerFilter>
  const found = useQuery(eventsQuery({ filter: settled, limit: eventsMax }))
  const names = useQuery(eventCountsQuery('event', { filter: settled }))
  return (
    <section aria-label="Events matching this trigger" className="flex flex-col gap-2">
      {titled && <p className="text-soft text-sm">{plainText(describeTrigger(trigger).parts, formatDuration)}</p>}
      {found.isError ? (
        <p className="text-danger text-sm">{describeError(found.error).detail}</p>
      ) : found.data === undefined ? (
        <Skeleton className="h-16" />
      ) : (
        <>
          <p role="status" className="font-semibold text-xl">
            {found.data.total.toLocaleString()}
            <span className="ml-1.5 font-normal text-base text-soft">{found.data.total === 1 ? 'event' : 'events'}</span>
          </p>
          {found.data.total === 0 && <p className="text-soft">No matching events in this time range. The trigger may still match future events.</p>}
          <ul className="flex flex-wrap gap-x-4 gap-y-0.5 text-sm">
            {names.data?.slice(0, 6).map(({ value, count }) => (
              <li key={value} className="text-soft">
                <span className="font-medium text-ink">{count.toLocaleString()}</span> {value}
              </li>
            ))}
          </ul>
          <ul aria-label="Latest events" className="divide-y divide-line">
            {found.data.events.map((event) => (
              <li key={event.id} className="flex flex-wrap items-baseline gap-x-3 py-1.5">
                <TimeText time={event.occurred} show="second" className="text-faint text-sm" />
                <Link
                  to="/events/event/$day/$id"
                  params={{ day: eventDay(event.occurred), id: event.id }}
                  target="_blank"
                  className="quiet-link min-w-0 flex-1 truncate font-medium"
                >
                  {event.event}
                </Link>
                <span className="min-w-0 truncate text-soft">
                  <ResourceLink id={event.resource['prefect.resource.id'] ?? ''} name={event.resource['prefect.resource.name']} />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
