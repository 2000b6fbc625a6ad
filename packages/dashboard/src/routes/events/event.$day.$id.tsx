import { createFileRoute } from '@tanstack/react-router'
import { EventPage } from '../../features/events/event-page.tsx'

export const Route = createFileRoute('/events/event/$day/$id')({ component: Event })

function Event() {
  const { day, id } = Route.useParams()
  return <EventPage key={id} day={day} id={id} />
}
