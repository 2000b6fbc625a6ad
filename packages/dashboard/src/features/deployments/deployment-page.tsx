import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense } from 'react'
import { deploymentQuery } from '../../api/deployments.ts'
import { latestRunsQuery } from '../../api/flow-runs.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { RunsTable } from '../flow-runs/runs-table.tsx'
import { useRunsFilter } from '../flow-runs/use-runs-filter.ts'
import { RunDurationChart } from '../flows/run-duration-chart.tsx'
import { QueryView } from '../query-view.tsx'
import { ConfigurationView } from './configuration-view.tsx'
import { DeploymentActions } from './deployment-actions.tsx'
import { DeploymentFacts } from './deployment-facts.tsx'
import { DeploymentStatus } from './deployment-status.tsx'
import type { DeploymentTab } from './deployments-search.ts'
import { ParametersView } from './parameters-view.tsx'
import { SchedulesPanel } from './schedules-panel.tsx'

const RunCalendar = lazy(() => import('./run-calendar.tsx').then(({ RunCalendar }) => ({ default: RunCalendar })))

interface DeploymentPageProps {
  readonly id: string
  readonly tab: DeploymentTab
  onTab(tab: DeploymentTab): void
}

const chartRuns = 50

export function DeploymentPage({ id, tab, onTab }: DeploymentPageProps) {
  const deployment = useQuery(deploymentQuery(id))
  return (
    <Page
      title={deployment.data?.name ?? 'Deployment'}
      crumbs={[{ label: 'Deployments', to: '/deployments' }]}
      titleAside={deployment.data && <DeploymentStatus deployment={deployment.data} />}
      actions={deployment.data && <DeploymentActions deployment={deployment.data} />}
      fill="wide"
    >
      <QueryView query={deployment}>
        {(found) =>
          found === null ? (
            <EmptyState title="Deployment not found" command="prefect deploy">
              Deploy the flow again to recreate the deployment.
            </EmptyState>
          ) : (
            <div className="flex min-h-0 flex-1 gap-6">
              <div className="flex min-h-0 min-w-0 flex-1 flex-col">
                <LastRuns id={id} />
                <DeploymentPanels deployment={found} tab={tab} onTab={onTab} />
              </div>
              <aside aria-label="Deployment details" className="hidden w-72 shrink-0 overflow-y-auto pt-2 lg:block">
                <DeploymentFacts deployment={found} />
              </aside>
            </div>
          )
        }
      </QueryView>
    </Page>
  )
}

function LastRuns({ id }: { readonly id: string }) {
  const latest = useQuery(latestRunsQuery({ deployment_ids: [id], limit: chartRuns }))
  const runs = latest.data?.[id]?.last ?? []
  return runs.every(({ total_run_time }) => total_run_time === 0) ? null : (
    <Panel title="Last runs" className="mb-3 shrink-0">
      <RunDurationChart runs={runs} />
    </Panel>
  )
}

interface PanelsProps {
  readonly deployment: DeploymentResponse
  readonly tab: DeploymentTab
  onTab(tab: DeploymentTab): void
}

function DeploymentPanels({ deployment, tab, onTab }: PanelsProps) {
  const runs = useRunsFilter({ deployment: [deployment.id] })
  const upcoming = useRunsFilter({ deployment: [deployment.id], state: ['Scheduled'], sort: 'soonest' })
  const listed = (children: ReactNode) => <div className="flex h-[60dvh] flex-col md:h-auto md:min-h-0 md:flex-1">{children}</div>
  const panels: Record<DeploymentTab, () => ReactNode> = {
    runs: () => listed(<RunsTable filter={runs} empty={<EmptyState title="No runs yet">Select Run, or add a schedule.</EmptyState>} />),
    upcoming: () =>
      listed(
        <RunsTable
          filter={upcoming}
          sort="soonest"
          empty={
            <EmptyState title="No upcoming runs">Scheduled runs are created shortly before they start. The calendar shows later ones.</EmptyState>
          }
        />,
      ),
    calendar: () => (
      <Suspense fallback={<SkeletonRows label="Loading the calendar" />}>
        <RunCalendar deployment={deployment} />
      </Suspense>
    ),
    parameters: () => <ParametersView deployment={deployment} />,
    schedules: () => <SchedulesPanel deployment={deployment} />,
    configuration: () => <ConfigurationView deployment={deployment} />,
    description: () =>
      deployment.description ? (
        <Markdown text={deployment.description} />
      ) : (
        <EmptyState title="No description">Edit the deployment to add a description in Markdown.</EmptyState>
      ),
  }
  return (
    <Tabs
      label="Deployment sections"
      value={tab}
      onChange={(next) => onTab(next as DeploymentTab)}
      tabs={[
        { value: 'runs', label: 'Runs' },
        { value: 'upcoming', label: 'Upcoming' },
        { value: 'calendar', label: 'Calendar' },
        { value: 'parameters', label: 'Parameters', count: Object.keys(deployment.parameters).length },
        { value: 'schedules', label: 'Schedules', count: deployment.schedules.length },
        { value: 'configuration', label: 'Configuration' },
        { value: 'description', label: 'Description' },
      ]}
    >
      {panels[tab]()}
    </Tabs>
  )
}
