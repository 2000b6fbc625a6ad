import { taskRunSorts } from '@millrace/client/vocabulary/run-sorts.ts'
import type { TaskRun } from '@millrace/contracts/task-run.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { taskRunStateCountsQuery, taskRunsQuery } from '../../api/task-runs.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Menu, MenuChoice, MenuLabel } from '../../ui/menu.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { StateBadge } from '../../ui/state-badge.tsx'
import { TagList } from '../../ui/tag-list.tsx'
import { Duration, Elapsed, TimeText } from '../../ui/time-text.tsx'
import { Cell, HeadCell, HeadRow, VirtualRows } from '../../ui/virtual-rows.tsx'
import { usePagedRows } from '../use-paged-rows.ts'
import { StateFilterButtons } from './state-filter-buttons.tsx'
import { type TaskRunsSearch, taskRunsOrders } from './task-run-search.ts'

const refetchSeconds = 3
const grid = 'grid items-center gap-x-3 px-3 grid-cols-[7.5rem_1fr_5rem] md:grid-cols-[7.5rem_minmax(10rem,2fr)_minmax(6rem,1fr)_8rem_5rem]'

interface TaskRunsTableProps {
  readonly flowRunId: string
  /** True while rows can be added or change. */
  readonly growing: boolean
  readonly search: TaskRunsSearch
  onSearch(change: TaskRunsSearch): void
}

export function TaskRunsTable({ flowRunId, growing, search, onSearch }: TaskRunsTableProps) {
  const { name, state, sort = 'oldest' } = search
  const again = { refetchInterval: growing ? refetchSeconds * 1000 : false } as const
  const stateCounts = useQuery({ ...taskRunStateCountsQuery({ flow_runs: { id: { any_: [flowRunId] } } }), ...again })
  const filter = {
    flow_runs: { id: { any_: [flowRunId] } },
    task_runs: {
      ...(name && { name: { like_: name } }),
      ...(state && { state: { type: { any_: [state as NonNullable<TaskRun['state_type']>] } } }),
    },
  }
  const total = Object.values(stateCounts.data ?? {}).reduce((sum, count) => sum + count, 0)
  const matching = useQuery({ ...taskRunStateCountsQuery(filter), ...again })
  const count = matching.data && Object.values(matching.data).reduce((sum, each) => sum + each, 0)
  const rows = usePagedRows(count, (page) => ({ ...taskRunsQuery({ ...filter, sort: taskRunSorts[sort].sort, ...page }), ...again }))
  if (stateCounts.isPending) return <SkeletonRows label="Loading task runs" />
  if (total === 0) return <EmptyState title="No task runs" />
  return (
    <section aria-label="Task runs" className="flex min-h-0 flex-1 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <SearchBox
          label="Filter by name"
          placeholder="Name"
          shortcut="/"
          value={name ?? ''}
          onChange={(text) => onSearch({ name: text || undefined })}
        />
        <Menu trigger={<Button icon="sort" variant="quiet" aria-label="Sort task runs" />}>
          <MenuLabel>Sort by</MenuLabel>
          <MenuChoice
            value={sort}
            onChange={(chosen) => onSearch({ sort: chosen === 'oldest' ? undefined : chosen })}
            options={taskRunsOrders.map((value) => ({ value, label: taskRunSorts[value].label }))}
          />
        </Menu>
        {stateCounts.data && <StateFilterButtons counts={stateCounts.data} chosen={state} onChoose={(chosen) => onSearch({ state: chosen })} />}
      </div>
      <VirtualRows
        label="Task runs"
        count={rows.length}
        rowHeight={34}
        onRange={rows.onRange}
        className="min-h-[60dvh] md:min-h-64"
        head={
          <HeadRow className={grid}>
            <HeadCell>State</HeadCell>
            <HeadCell>Task run</HeadCell>
            <HeadCell className="hidden md:block">Tags</HeadCell>
            <HeadCell className="hidden md:block">Start</HeadCell>
            <HeadCell className="text-right">Duration</HeadCell>
          </HeadRow>
        }
        row={(index) => <TaskRunRow run={rows.at(index)} />}
      />
      {count === 0 && <EmptyState title="No results" compact />}
    </section>
  )
}

function TaskRunRow({ run }: { readonly run: TaskRun | undefined }) {
  if (!run) return <div className={`${grid} h-full`} />
  return (
    <div className={`${grid} h-full hover:bg-hover`}>
      <Cell>
        <StateBadge type={run.state_type} name={run.state_name} />
      </Cell>
      <Cell className="min-w-0">
        <Link to="/runs/task-run/$id" params={{ id: run.id }} className="quiet-link block truncate font-medium">
          {run.name}
        </Link>
      </Cell>
      <Cell className="hidden min-w-0 md:block">
        <TagList tags={run.tags} limit={2} />
      </Cell>
      <Cell className="hidden text-soft md:block">
        <TimeText time={run.start_time} show="second" />
      </Cell>
      <Cell className="text-right text-soft">
        {run.state_type === 'RUNNING' && run.start_time ? (
          <Elapsed since={run.start_time} />
        ) : (
          <Duration seconds={run.start_time ? run.total_run_time : null} />
        )}
      </Cell>
    </div>
  )
}
