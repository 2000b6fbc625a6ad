import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { eventQuery } from '../../api/events.ts'
import { buttonClass, IconButton } from '../../ui/button.tsx'
import { useShortcut } from '../../ui/shortcuts.ts'
import { QueryView } from '../query-view.tsx'
import { EventDetail } from './event-detail.tsx'

/** Event details beside the list. */
export function EventPanel({ open, onClose }: { readonly open: string; onClose(): void }) {
  const [day = '', id = ''] = open.split('/')
  const event = useQuery(eventQuery(day, id))
  useShortcut('Escape', 'Close event details', onClose)
  return (
    <aside aria-label="Event" className="card flex w-[26rem] shrink-0 flex-col">
      <header className="flex min-h-10 items-center gap-1 border-b border-line pr-1 pl-3.5">
        <h2 className="min-w-0 flex-1 truncate font-semibold">{event.data?.event ?? 'Event'}</h2>
        <IconButton icon="cross" label="Close" onClick={onClose} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be focusable */}
      <div tabIndex={0} className="min-h-0 flex-1 overflow-y-auto p-3.5">
        <QueryView query={event} compact>
          {(found) => (found ? <EventDetail event={found} /> : <p className="text-soft">Event not found.</p>)}
        </QueryView>
      </div>
      <footer className="flex gap-2 border-t border-line p-2.5">
        <Link to="/automations/create" search={{ from: `event:${open}` }} className={buttonClass('primary')}>
          Create automation
        </Link>
        <Link to="/events/event/$day/$id" params={{ day, id }} className={buttonClass()}>
          Open page
        </Link>
      </footer>
    </aside>
  )
}
