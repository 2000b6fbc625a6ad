import type { FlowPaginationResponse } from '@millrace/contracts/flow.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { flowPageQuery, nextRunsQuery } from '../../api/flows.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { Pagination } from '../../ui/pagination.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { Table } from '../../ui/table.tsx'
import { TagList } from '../../ui/tag-list.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { QueryView } from '../query-view.tsx'

interface FlowsPageProps {
  readonly page: number
  onPage(page: number): void
}

export function FlowsPage({ page, onPage }: FlowsPageProps) {
  const { page_size } = usePreferences()
  const flows = useQuery(flowPageQuery({ page, limit: page_size, sort: 'NAME_ASC' }))
  return (
    <Page title="Flows" actions={flows.data && <Pagination {...flows.data} noun="flows" onPage={onPage} />}>
      <QueryView query={flows}>
        {(found) =>
          found.count === 0 ? (
            <EmptyState title="No flows yet" command={`export PREFECT_API_URL=${new URL('api', document.baseURI).href}`}>
              A flow appears here when it first runs or is deployed.
            </EmptyState>
          ) : (
            <FlowsTable flows={found.results} />
          )
        }
      </QueryView>
    </Page>
  )
}

function FlowsTable({ flows }: { readonly flows: FlowPaginationResponse['results'] }) {
  const next = useQuery(nextRunsQuery(flows.map(({ id }) => id)))
  return (
    <Table
      label="Flows"
      rows={flows}
      rowKey={({ id }) => id}
      columns={[
        {
          header: 'Name',
          cell: ({ id, name }) => (
            <Link to="/flows/flow/$id" params={{ id }} className="quiet-link font-medium">
              {name}
            </Link>
          ),
        },
        { header: 'Tags', cell: ({ tags }) => <TagList tags={tags} />, className: 'hidden md:table-cell' },
        { header: 'Next run', cell: ({ id }) => <TimeText time={next.data?.[id]?.next_scheduled_start_time} show="relative" /> },
        { header: 'Created', cell: ({ created }) => <TimeText time={created} show="relative" />, end: true },
      ]}
    />
  )
}
