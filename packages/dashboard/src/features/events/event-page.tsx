import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { eventQuery } from '../../api/events.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { QueryView } from '../query-view.tsx'
import { EventDetail } from './event-detail.tsx'

export function EventPage({ day, id }: { readonly day: string; readonly id: string }) {
  const event = useQuery(eventQuery(day, id))
  return (
    <Page
      title={event.data?.event ?? 'Event'}
      crumbs={[{ label: 'Events', to: '/events' }]}
      actions={
        event.data && (
          <Link to="/automations/create" search={{ from: `event:${day}/${id}` }} className={buttonClass('primary')}>
            Create automation
          </Link>
        )
      }
    >
      <QueryView query={event}>
        {(found) =>
          found === null ? (
            <EmptyState title="Event not found">The event may have been removed by retention (see Settings).</EmptyState>
          ) : (
            <div className="grid items-start gap-4 lg:grid-cols-2">
              <Panel title="Details">
                <div className="p-3.5">
                  <EventDetail event={found} />
                </div>
              </Panel>
              <Panel title="JSON">
                <div className="p-3.5">
                  <JsonView label="Event" value={found} />
                </div>
              </Panel>
            </div>
          )
        }
      </QueryView>
    </Page>
  )
}
