import { useQuery } from '@tanstack/react-query'
import { eventsQuery } from '../../api/events.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { QueryView } from '../query-view.tsx'

const againSeconds = 5

export function EventsPage() {
  const query = useQuery({ ...eventsQuery(), refetchInterval: againSeconds * 1000 })
  return (
    <Page title="Events" beside={query.data && <span className="text-faint">{query.data.total.toLocaleString()}</span>}>
      <QueryView query={query}>
        {({ events }) =>
          events.length === 0 ? (
            <EmptyState title="Nothing has happened yet">Whatever happens to runs, deployments and workers is told here.</EmptyState>
          ) : (
            <Table
              label="Events"
              rows={events}
              rowKey={({ id }) => id}
              columns={[
                { header: 'Time', cell: ({ occurred }) => <TimeText time={occurred} show="milli" />, className: 'w-32' },
                { header: 'Event', cell: ({ event }) => <span className="font-medium">{event}</span> },
                {
                  header: 'Resource',
                  cell: ({ resource }) => <span className="text-soft">{resource['prefect.resource.name'] ?? resource['prefect.resource.id']}</span>,
                },
              ]}
            />
          )
        }
      </QueryView>
    </Page>
  )
}
