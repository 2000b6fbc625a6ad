import { useQuery } from '@tanstack/react-query'
import { flowQuery } from '../../api/flows.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { TagList } from '../../ui/tag-list.tsx'
import { RunsTable } from '../flow-runs/runs-table.tsx'
import { useRunsFilter } from '../flow-runs/use-runs-filter.ts'
import { QueryView } from '../query-view.tsx'

export function FlowPage({ id }: { readonly id: string }) {
  const flow = useQuery(flowQuery(id))
  const runs = useRunsFilter({ flow: [id] })
  return (
    <Page title={flow.data?.name ?? 'Flow'} crumbs={[{ label: 'Flows', to: '/flows' }]} beside={flow.data && <TagList tags={flow.data.tags} />} fill>
      <QueryView query={flow}>
        {(found) =>
          found === null ? <EmptyState title="This flow is gone" /> : <RunsTable filter={runs} empty={<EmptyState title="It has not run yet" />} />
        }
      </QueryView>
    </Page>
  )
}
