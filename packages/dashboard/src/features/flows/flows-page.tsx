import type { Flow } from '@millrace/contracts/flow.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { latestRunsQuery } from '../../api/flow-runs.ts'
import { deploymentCountsQuery, flowPageQuery } from '../../api/flows.ts'
import { IconButton } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { Pagination } from '../../ui/pagination.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { SearchBox } from '../../ui/search-box.tsx'
import { Table } from '../../ui/table.tsx'
import { TagList } from '../../ui/tag-list.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import type { SearchChange } from '../../use-search-change.ts'
import { TagPicker } from '../flow-runs/tag-picker.tsx'
import { SortMenu } from '../list-controls.tsx'
import { QueryView } from '../query-view.tsx'
import { DeleteFlowDialog } from './delete-flow-dialog.tsx'
import { type FlowsSearch, flowSorts, flowsBody } from './flows-search.ts'
import { RunSparkline } from './run-sparkline.tsx'
import { TagChips, withoutTag } from './tag-chips.tsx'

interface FlowsPageProps {
  readonly search: FlowsSearch
  readonly onSearch: SearchChange<FlowsSearch>
}

export function FlowsPage({ search, onSearch }: FlowsPageProps) {
  const { page_size } = usePreferences()
  const flows = useQuery(flowPageQuery(flowsBody(search, page_size)))
  /** A changed filter returns to the first page. */
  const set = (change: Partial<FlowsSearch>) => onSearch({ page: undefined, ...change })
  const isFiltered = search.name !== undefined || search.tag !== undefined
  return (
    <Page
      title="Flows"
      actions={flows.data && <Pagination {...flows.data} noun={flows.data.count === 1 ? 'flow' : 'flows'} onPage={(page) => set({ page })} />}
    >
      <div className="flex flex-wrap items-center gap-2 pb-3">
        <SearchBox
          label="Filter by name"
          placeholder="Name"
          shortcut="/"
          value={search.name ?? ''}
          onChange={(name) => set({ name: name || undefined })}
        />
        <TagPicker chosen={search.tag ?? []} onChange={(tag) => set({ tag })} />
        <SortMenu sorts={flowSorts} value={search.sort ?? 'name'} onChange={(sort) => set({ sort: sort === 'name' ? undefined : sort })} />
        <TagChips tags={search.tag} onRemove={(tag) => onSearch(withoutTag(tag))} />
      </div>
      <QueryView query={flows}>
        {(found) =>
          found.results.length > 0 ? (
            <FlowsTable flows={found.results} />
          ) : isFiltered ? (
            <EmptyState title="No results">Clear filters to see all flows.</EmptyState>
          ) : (
            <EmptyState title="No flows yet" command={`export PREFECT_API_URL=${new URL('api', document.baseURI).href}`}>
              Flows appear here when they first run or are deployed.
            </EmptyState>
          )
        }
      </QueryView>
    </Page>
  )
}

function FlowsTable({ flows }: { readonly flows: readonly Flow[] }) {
  const ids = flows.map(({ id }) => id)
  const latest = useQuery(latestRunsQuery({ flow_ids: ids }))
  const deployments = useQuery(deploymentCountsQuery(ids))
  const [deleting, setDeleting] = useState<Flow>()
  return (
    <>
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
          {
            header: 'Last runs',
            cell: ({ id, name }) => <RunSparkline runs={latest.data?.[id]?.last ?? (latest.isPending ? undefined : [])} label={name} />,
            className: 'w-36',
          },
          {
            header: 'Last run',
            cell: ({ id }) => <TimeText time={latest.data?.[id]?.last[0]?.expected_start_time} show="relative" className="text-soft" />,
            className: 'hidden sm:table-cell',
          },
          {
            header: 'Next run',
            cell: ({ id }) => <TimeText time={latest.data?.[id]?.next_scheduled_start_time} show="relative" className="text-soft" />,
            className: 'hidden sm:table-cell',
          },
          {
            header: 'Deployments',
            cell: ({ id }) => <span className="text-soft">{deployments.data?.[id] ?? ''}</span>,
            className: 'hidden md:table-cell',
            alignEnd: true,
          },
          { header: 'Tags', cell: ({ tags }) => <TagList tags={tags} />, className: 'hidden lg:table-cell' },
          {
            header: 'Created',
            cell: ({ created }) => <TimeText time={created} show="relative" className="text-soft" />,
            className: 'hidden md:table-cell',
            alignEnd: true,
          },
          {
            header: '',
            cell: (flow) => <IconButton icon="trash" label={`Delete ${flow.name}`} onClick={() => setDeleting(flow)} />,
            className: 'w-10 px-1',
            alignEnd: true,
          },
        ]}
      />
      <DeleteFlowDialog flow={deleting} onClose={() => setDeleting(undefined)} />
    </>
  )
}
