import { useQuery } from '@tanstack/react-query'
import { describeError } from '../../api/describe-error.ts'
import { flowRunQuery } from '../../api/flow-runs.ts'
import { flowQuery } from '../../api/flows.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Page } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { StateBadge } from '../../ui/state-badge.tsx'
import { allowedActions } from './allowed-actions.ts'
import { ResumePanel } from './resume-panel.tsx'
import { RunActions } from './run-actions.tsx'
import { RunBanner } from './run-banner.tsx'
import { RunFacts } from './run-facts.tsx'
import type { RunSearch, RunTab } from './run-search.ts'
import { RunTabs } from './run-tabs.tsx'

interface FlowRunPageProps {
  readonly id: string
  readonly search: RunSearch
  /** Opens another tab without filters. */
  onTab(tab: RunTab | undefined): void
  onSearch(change: RunSearch): void
}

/** The page of one flow run. */
export function FlowRunPage({ id, search, onTab, onSearch }: FlowRunPageProps) {
  const query = useQuery(flowRunQuery(id))
  const flow = useQuery({ ...flowQuery(query.data?.flow_id ?? ''), enabled: query.data !== undefined })
  const run = query.data
  if (query.isError && !run) {
    return (
      <Page title="Run" crumbs={[{ label: 'Runs', to: '/runs' }]}>
        <ErrorState {...describeError(query.error)} onRetry={() => void query.refetch()} />
      </Page>
    )
  }
  if (!run) {
    return (
      <Page title="Run" crumbs={[{ label: 'Runs', to: '/runs' }]}>
        <SkeletonRows rows={12} label="Loading the run" />
      </Page>
    )
  }
  return (
    <Page
      title={run.name}
      crumbs={[
        { label: 'Runs', to: '/runs' },
        { label: flow.data?.name ?? '…', to: `/flows/flow/${run.flow_id}` },
      ]}
      titleAside={<StateBadge type={run.state_type} name={run.state_name} pill />}
      actions={<RunActions run={run} />}
      fill="wide"
    >
      <RunBanner run={run} />
      {allowedActions(run.state_type).resume && <ResumePanel key={run.state_id} run={run} />}
      <div className="flex min-h-96 flex-1 gap-6">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <RunTabs run={run} search={search} onTab={onTab} onSearch={onSearch} />
        </div>
        <aside aria-label="Run details" className="hidden w-72 shrink-0 overflow-y-auto pt-2 lg:block">
          <RunFacts run={run} />
        </aside>
      </div>
    </Page>
  )
}
