import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { deploymentPageQuery } from '../../api/deployments.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { Pagination } from '../../ui/pagination.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { Table } from '../../ui/table.tsx'
import { TagList } from '../../ui/tag-list.tsx'
import { FlowName } from '../flow-runs/run-link.tsx'
import { QueryView } from '../query-view.tsx'
import { DeploymentStatus } from './deployment-status.tsx'
import { scheduleText } from './schedule-text.ts'

interface DeploymentsPageProps {
  readonly page: number
  onPage(page: number): void
}

export function DeploymentsPage({ page, onPage }: DeploymentsPageProps) {
  const { page_size } = usePreferences()
  const deployments = useQuery(deploymentPageQuery({ page, limit: page_size, sort: 'NAME_ASC' }))
  return (
    <Page title="Deployments" actions={deployments.data && <Pagination {...deployments.data} noun="deployments" onPage={onPage} />}>
      <QueryView query={deployments}>
        {(found) =>
          found.count === 0 ? (
            <EmptyState title="No deployments yet" command="prefect deploy">
              A deployment says how and when a flow runs.
            </EmptyState>
          ) : (
            <Table
              label="Deployments"
              rows={found.results}
              rowKey={({ id }) => id}
              columns={[
                {
                  header: 'Name',
                  cell: ({ id, name }) => (
                    <Link to="/deployments/deployment/$id" params={{ id }} className="quiet-link font-medium">
                      {name}
                    </Link>
                  ),
                },
                {
                  header: 'Flow',
                  cell: ({ flow_id }) => (
                    <Link to="/flows/flow/$id" params={{ id: flow_id }} className="quiet-link text-soft">
                      <FlowName id={flow_id} />
                    </Link>
                  ),
                  className: 'hidden sm:table-cell',
                },
                { header: 'Status', cell: (deployment) => <DeploymentStatus deployment={deployment} /> },
                {
                  header: 'Schedule',
                  cell: ({ schedules }) => <span className="text-soft">{schedules.map(({ schedule }) => scheduleText(schedule)).join('; ')}</span>,
                  className: 'hidden md:table-cell',
                },
                { header: 'Pool', cell: ({ work_pool_name }) => work_pool_name, className: 'hidden lg:table-cell text-soft' },
                { header: 'Tags', cell: ({ tags }) => <TagList tags={tags} />, className: 'hidden lg:table-cell' },
              ]}
            />
          )
        }
      </QueryView>
    </Page>
  )
}
