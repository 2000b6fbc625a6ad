import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { deploymentPageQuery } from '../../api/deployments.ts'
import { latestRunsQuery } from '../../api/flow-runs.ts'
import { Checkbox } from '../../ui/field.tsx'
import { Pagination } from '../../ui/pagination.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { Table } from '../../ui/table.tsx'
import { TagList } from '../../ui/tag-list.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { FlowName } from '../flow-runs/run-link.tsx'
import { useSelection } from '../flow-runs/use-selection.ts'
import { RunSparkline } from '../flows/run-sparkline.tsx'
import { QueryView } from '../query-view.tsx'
import { DeploymentStatus } from './deployment-status.tsx'
import { DeploymentsBulkBar } from './deployments-bulk-bar.tsx'
import { type DeploymentsSearch, deploymentsBody } from './deployments-search.ts'
import { formatSchedule } from './format-schedule.ts'

interface DeploymentsTableProps {
  readonly search: DeploymentsSearch
  /** Shown instead of an empty table. */
  readonly empty: ReactNode
}

/** A page of deployments with bulk actions. Without a page in the URL the table keeps its own page number. */
export function DeploymentsTable({ search, empty }: DeploymentsTableProps) {
  const { page_size } = usePreferences()
  const [turned, setTurned] = useState(1)
  const deployments = useQuery(deploymentPageQuery(deploymentsBody({ page: turned, ...search }, page_size)))
  return (
    <QueryView query={deployments}>
      {(found) =>
        found.results.length === 0 ? (
          empty
        ) : (
          <>
            <Rows rows={found.results} />
            {search.page === undefined && found.pages > 1 && (
              <div className="flex justify-end pt-2">
                <Pagination {...found} noun={found.count === 1 ? 'deployment' : 'deployments'} onPage={setTurned} />
              </div>
            )}
          </>
        )
      }
    </QueryView>
  )
}

function Rows({ rows }: { readonly rows: readonly DeploymentResponse[] }) {
  const ids = rows.map(({ id }) => id)
  const latest = useQuery(latestRunsQuery({ deployment_ids: ids }))
  const selection = useSelection()
  const chosen = rows.filter(({ id }) => selection.ids.has(id))
  return (
    <>
      <Table
        label="Deployments"
        rows={rows}
        rowKey={({ id }) => id}
        columns={[
          {
            header: '',
            cell: ({ id, name }) => <Checkbox label={`Select ${name}`} checked={selection.ids.has(id)} onChange={(on) => selection.set(id, on)} />,
            className: 'w-8 pr-0',
          },
          {
            header: 'Name',
            cell: ({ id, name, flow_id }) => (
              <span className="flex min-w-0 flex-col py-0.5 leading-tight">
                <Link to="/deployments/deployment/$id" params={{ id }} className="quiet-link font-medium">
                  {name}
                </Link>
                <Link to="/flows/flow/$id" params={{ id: flow_id }} className="quiet-link text-faint text-sm">
                  <FlowName id={flow_id} />
                </Link>
                <span className="pt-1 sm:hidden">
                  <RunSparkline runs={latest.data?.[id]?.last ?? (latest.isPending ? undefined : [])} label={name} />
                </span>
              </span>
            ),
          },
          { header: 'Status', cell: (deployment) => <DeploymentStatus deployment={deployment} /> },
          {
            header: 'Last runs',
            cell: ({ id, name }) => <RunSparkline runs={latest.data?.[id]?.last ?? (latest.isPending ? undefined : [])} label={name} />,
            className: 'hidden w-36 sm:table-cell',
          },
          {
            header: 'Next',
            cell: ({ id }) => <TimeText time={latest.data?.[id]?.next_scheduled_start_time} show="relative" className="text-soft" />,
            className: 'hidden sm:table-cell',
          },
          {
            header: 'Schedule',
            cell: ({ schedules }) => (
              <span className="flex max-w-56 flex-col text-soft">
                {schedules.map(({ id, schedule }) => (
                  <span key={id} title={formatSchedule(schedule)} className="truncate">
                    {formatSchedule(schedule)}
                  </span>
                ))}
              </span>
            ),
            className: 'hidden md:table-cell',
          },
          {
            header: 'Pool',
            cell: ({ work_pool_name }) =>
              work_pool_name && (
                <Link to="/work-pools/work-pool/$name" params={{ name: work_pool_name }} className="quiet-link text-soft">
                  {work_pool_name}
                </Link>
              ),
            className: 'hidden whitespace-nowrap lg:table-cell',
          },
          { header: 'Tags', cell: ({ tags }) => <TagList tags={tags} />, className: 'hidden lg:table-cell' },
        ]}
      />
      <DeploymentsBulkBar deployments={chosen} onDone={() => selection.setAll([])} />
    </>
  )
}
