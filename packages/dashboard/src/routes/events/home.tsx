import { createFileRoute } from '@tanstack/react-router'
import { EventsPage } from '../../features/events/events-page.tsx'
import { readEventsSearch } from '../../features/events/events-search.ts'
import { onlyValid } from '../../search-params.ts'
import { useSearchChange } from '../../use-search-change.ts'

export const Route = createFileRoute('/events/')({ validateSearch: onlyValid(readEventsSearch), component: Events })

function Events() {
  return <EventsPage search={Route.useSearch()} onSearch={useSearchChange()} />
}
