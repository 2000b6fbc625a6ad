import type { ReceivedEvent } from '@millrace/contracts/event.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { eventsQuery } from '../../api/events.ts'
import { ownEntry } from '../../own-entry.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { eventDay } from '../events/resource.ts'
import { QueryView } from '../query-view.tsx'
import { actionKinds, isActionType } from './action-kinds.ts'

const refetchSeconds = 10
const rowsMax = 30

/** Events of an automation: triggered, and results of its actions. */
export function Firings({ id }: { readonly id: string }) {
  const filter = {
    resource: { id: [`prefect.automation.${id}`] },
    event: { prefix: ['prefect.automation.triggered', 'prefect.automation.resolved', 'prefect.automation.action'] },
  }
  const found = useQuery({ ...eventsQuery({ filter, limit: rowsMax }), refetchInterval: refetchSeconds * 1000 })
  return (
    <QueryView query={found} compact skeleton={<SkeletonRows rows={3} />}>
      {({ events, total }) =>
        total === 0 ? (
          <EmptyState compact title="No activity yet">
            Triggers and the results of their actions appear here.
          </EmptyState>
        ) : (
          <ul aria-label="Activity" className="divide-y divide-line">
            {events.map((event) => (
              <li key={event.id} className="flex flex-wrap items-baseline gap-x-3 px-3.5 py-1.5">
                <TimeText time={event.occurred} show="second" className="text-faint text-sm" />
                <Link to="/events/event/$day/$id" params={{ day: eventDay(event.occurred), id: event.id }} className="quiet-link font-medium">
                  {eventLabel(event)}
                </Link>
                <span className="min-w-0 flex-1 truncate text-soft">{firingDetail(event)}</span>
                <TimeText time={event.occurred} show="relative" className="text-faint text-sm" />
              </li>
            ))}
          </ul>
        )
      }
    </QueryView>
  )
}

const eventLabels: Readonly<Record<string, string>> = {
  'prefect.automation.triggered': 'Triggered',
  'prefect.automation.resolved': 'Resolved',
  'prefect.automation.action.triggered': 'Action started',
  'prefect.automation.action.executed': 'Action completed',
  'prefect.automation.action.failed': 'Action failed',
}

const eventLabel = ({ event }: ReceivedEvent): string => ownEntry(eventLabels, event) ?? event

/** Action and reason of its failure. */
function firingDetail({ payload }: ReceivedEvent): string {
  const { action, action_type, reason } = payload as { action?: { type?: unknown }; action_type?: unknown; reason?: unknown }
  const type = action_type ?? action?.type
  return [isActionType(type) ? actionKinds[type].label : undefined, typeof reason === 'string' ? reason : undefined].filter(Boolean).join(': ')
}
