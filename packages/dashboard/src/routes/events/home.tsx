import { createFileRoute } from '@tanstack/react-router'
import { EventsPage } from '../../features/events/events-page.tsx'
import { readEventsSearch } from '../../features/events/search.ts'

export const Route = createFileRoute('/events/')({ validateSearch: readEventsSearch, component: Events })

function Events() {
  const navigate = Route.useNavigate()
  return <EventsPage search={Route.useSearch()} onSearch={(search) => void navigate({ search, replace: true })} />
}
