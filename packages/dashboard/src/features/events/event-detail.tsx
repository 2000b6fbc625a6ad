import type { ReceivedEvent } from '@millrace/contracts/event.ts'
import { Link } from '@tanstack/react-router'
import { Facts } from '../../ui/facts.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { eventDay } from './resource.ts'
import { ResourceLink } from './resource-link.tsx'

const idLabel = 'prefect.resource.id'
const nameLabel = 'prefect.resource.name'
const roleLabel = 'prefect.resource.role'

export function EventDetail({ event }: { readonly event: ReceivedEvent }) {
  const { [idLabel]: id = '', [nameLabel]: name, ...labels } = event.resource
  const day = eventDay(event.occurred)
  return (
    <div className="flex flex-col gap-5">
      <Facts
        facts={[
          {
            name: 'Event',
            value: (
              <Link to="/events" search={{ event: [event.event] }} title="Show events with this name" className="link">
                {event.event}
              </Link>
            ),
          },
          { name: 'Occurred', value: <TimeText time={event.occurred} show="full" /> },
          { name: 'Received', value: <TimeText time={event.received} show="full" /> },
          { name: 'Resource', value: <ResourceLink id={id} name={name} /> },
          {
            name: 'Resource id',
            value: (
              <Link to="/events" search={{ resource: [id] }} title="Show events of this resource" className="link font-mono text-sm">
                {id}
              </Link>
            ),
          },
          { name: 'Follows', value: event.follows && <ResourceLink id={`prefect.event.${event.follows}`} day={day} /> },
          { name: 'ID', value: <code className="font-mono text-sm">{event.id}</code> },
        ]}
      />
      {Object.keys(labels).length > 0 && (
        <section aria-label="Labels" className="flex flex-col gap-1.5">
          <h3 className="font-semibold">Labels</h3>
          <Facts facts={Object.entries(labels).map(([label, value]) => ({ name: label, value }))} />
        </section>
      )}
      {event.related.length > 0 && (
        <section aria-label="Related" className="flex flex-col gap-1.5">
          <h3 className="font-semibold">Related</h3>
          <ul className="flex flex-col gap-1">
            {event.related.map((each) => (
              <li key={`${each[roleLabel]} ${each[idLabel]}`} className="flex items-baseline gap-3">
                <span className="w-28 shrink-0 text-faint">{each[roleLabel]}</span>
                <ResourceLink id={each[idLabel] ?? ''} name={each[nameLabel]} day={day} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-label="Payload" className="flex flex-col gap-1.5">
        <h3 className="font-semibold">Payload</h3>
        {Object.keys(event.payload).length > 0 ? <JsonView label="Payload" value={event.payload} /> : <p className="text-soft">No payload.</p>}
      </section>
    </div>
  )
}
