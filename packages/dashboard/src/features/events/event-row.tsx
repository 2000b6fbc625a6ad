import type { ReceivedEvent } from '@millrace/contracts/event.ts'
import { Link } from '@tanstack/react-router'
import { useNow } from '../../ui/clock.ts'
import { stateColour, toDisplayState } from '../../ui/display-state.ts'
import { usePreferences } from '../../ui/preferences.ts'
import { formatTime, toMillis } from '../../ui/time-format.ts'
import { TimeText } from '../../ui/time-text.tsx'
import { Cell } from '../../ui/virtual-rows.tsx'
import type { EventsSearch } from './events-search.ts'
import { eventDay } from './resource.ts'
import { ResourceLink } from './resource-link.tsx'

export const eventGrid =
  'grid items-center gap-x-3 px-3 grid-cols-[6rem_minmax(0,1fr)] md:grid-cols-[7.5rem_minmax(0,3fr)_minmax(0,3fr)_minmax(0,4fr)]'

interface EventRowProps {
  readonly event: ReceivedEvent
  readonly search: EventsSearch
  readonly narrow: boolean
}

export function EventRow({ event, search, narrow }: EventRowProps) {
  const { resource, related, occurred, id } = event
  const day = eventDay(occurred)
  const preferences = usePreferences()
  const isToday = formatTime(toMillis(occurred), 'day', preferences) === formatTime(useNow(60), 'day', preferences)
  const isOpen = search.open === `${day}/${id}`
  return (
    <div className={`${eventGrid} h-full ${isOpen ? 'bg-wash' : 'hover:bg-hover'}`}>
      <Cell className="text-faint text-sm">
        <TimeText time={occurred} show={isToday ? 'milli' : 'minute'} />
      </Cell>
      <Cell className="flex min-w-0 items-center gap-1.5">
        <StateDot event={event} />
        {narrow ? (
          <Link to="/events/event/$day/$id" params={{ day, id }} className="quiet-link truncate font-medium">
            {event.event}
          </Link>
        ) : (
          <Link
            to="/events"
            search={{ ...search, open: `${day}/${id}` }}
            replace
            aria-current={isOpen || undefined}
            className="quiet-link truncate font-medium"
          >
            {event.event}
          </Link>
        )}
      </Cell>
      {!narrow && (
        <>
          <Cell className="min-w-0 truncate">
            <ResourceLink id={resource['prefect.resource.id'] ?? ''} name={resource['prefect.resource.name']} />
          </Cell>
          <Cell className="flex min-w-0 gap-2 truncate text-soft">
            {related.slice(0, 4).map((each) => (
              <ResourceLink
                key={`${each['prefect.resource.role']} ${each['prefect.resource.id']}`}
                id={each['prefect.resource.id'] ?? ''}
                name={each['prefect.resource.name']}
                day={day}
              />
            ))}
            {related.length > 4 && <span className="text-faint">+{related.length - 4}</span>}
          </Cell>
        </>
      )}
    </div>
  )
}

/** Coloured for state events only. */
function StateDot({ event: { resource } }: { readonly event: ReceivedEvent }) {
  const type = resource['prefect.state-type']
  const colour = type ? stateColour(toDisplayState(type as Parameters<typeof toDisplayState>[0], resource['prefect.state-name'])) : 'var(--edge)'
  return <span aria-hidden="true" className="size-2 shrink-0 rounded-full" style={{ background: colour }} />
}
