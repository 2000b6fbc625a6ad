import type { Flow } from '@millrace/contracts/flow.ts'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { latestRunsQuery } from '../../api/flow-runs.ts'
import { deploymentCountsQuery, flowQuery } from '../../api/flows.ts'
import { Button } from '../../ui/button.tsx'
import { copyText } from '../../ui/copy-text.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { TagList } from '../../ui/tag-list.tsx'
import { showToast } from '../../ui/toast.tsx'
import { CreateAutomationItem } from '../automations/create-automation-item.tsx'
import { DeploymentsTable } from '../deployments/deployments-table.tsx'
import { RunsTable } from '../flow-runs/runs-table.tsx'
import { useRunsFilter } from '../flow-runs/use-runs-filter.ts'
import { QueryView } from '../query-view.tsx'
import { DeleteFlowDialog } from './delete-flow-dialog.tsx'
import { FlowDetails } from './flow-details.tsx'
import type { FlowTab } from './flows-search.ts'
import { RunDurationChart } from './run-duration-chart.tsx'

interface FlowPageProps {
  readonly id: string
  readonly tab: FlowTab
  onTab(tab: FlowTab): void
}

const chartRuns = 50

export function FlowPage({ id, tab, onTab }: FlowPageProps) {
  const flow = useQuery(flowQuery(id))
  return (
    <Page
      title={flow.data?.name ?? 'Flow'}
      crumbs={[{ label: 'Flows', to: '/flows' }]}
      titleAside={flow.data && <TagList tags={flow.data.tags} />}
      actions={flow.data && <FlowActions flow={flow.data} />}
      fill="wide"
    >
      <QueryView query={flow}>
        {(found) =>
          found === null ? (
            <EmptyState title="Flow not found" command={`export PREFECT_API_URL=${new URL('api', document.baseURI).href}`}>
              The flow is created again when it next runs or is deployed.
            </EmptyState>
          ) : (
            <>
              <LastRuns id={id} />
              <FlowTabs flow={found} tab={tab} onTab={onTab} />
            </>
          )
        }
      </QueryView>
    </Page>
  )
}

function LastRuns({ id }: { readonly id: string }) {
  const latest = useQuery(latestRunsQuery({ flow_ids: [id], limit: chartRuns }))
  const runs = latest.data?.[id]?.last ?? []
  return runs.every(({ total_run_time }) => total_run_time === 0) ? null : (
    <Panel title="Last runs" className="mb-3 shrink-0">
      <RunDurationChart runs={runs} />
    </Panel>
  )
}

function FlowTabs({ flow, tab, onTab }: { readonly flow: Flow; readonly tab: FlowTab; onTab(tab: FlowTab): void }) {
  const runs = useRunsFilter({ flow: [flow.id] })
  const deployments = useQuery(deploymentCountsQuery([flow.id]))
  const panels: Record<FlowTab, () => ReactNode> = {
    runs: () => (
      <div className="flex h-[60dvh] flex-col md:h-auto md:min-h-0 md:flex-1">
        <RunsTable filter={runs} empty={<EmptyState title="No runs yet">Run the flow, or one of its deployments.</EmptyState>} />
      </div>
    ),
    deployments: () => <DeploymentsTable search={{ flow: [flow.id] }} empty={<EmptyState title="No deployments yet" command="prefect deploy" />} />,
    details: () => <FlowDetails flow={flow} />,
  }
  return (
    <Tabs
      label="Flow sections"
      value={tab}
      onChange={(next) => onTab(next as FlowTab)}
      tabs={[
        { value: 'runs', label: 'Runs' },
        { value: 'deployments', label: 'Deployments', count: deployments.data?.[flow.id] },
        { value: 'details', label: 'Details' },
      ]}
    >
      {panels[tab]()}
    </Tabs>
  )
}

function FlowActions({ flow }: { readonly flow: Flow }) {
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState(false)
  const copy = async () => {
    await copyText(flow.id)
    showToast('ID copied')
  }
  return (
    <>
      <Menu trigger={<Button icon="more" aria-label="More" />}>
        <MenuItem icon="copy" onSelect={() => void copy()}>
          Copy ID
        </MenuItem>
        <CreateAutomationItem kind="flow" id={flow.id} />
        <MenuSeparator />
        <MenuItem icon="trash" danger onSelect={() => setDeleting(true)}>
          Delete…
        </MenuItem>
      </Menu>
      <DeleteFlowDialog flow={deleting ? flow : undefined} onClose={() => setDeleting(false)} onDeleted={() => navigate({ to: '/flows' })} />
    </>
  )
}
