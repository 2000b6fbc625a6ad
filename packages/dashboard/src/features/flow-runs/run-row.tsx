import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { classNames } from '../../ui/classes.ts'
import { Checkbox } from '../../ui/field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { StateBadge } from '../../ui/state-badge.tsx'
import { TagList } from '../../ui/tag-list.tsx'
import { Duration, Elapsed, TimeText } from '../../ui/time-text.tsx'
import { Cell } from '../../ui/virtual-rows.tsx'
import { DeploymentName } from './filter-chips.tsx'
import { RunLink } from './run-link.tsx'

/** Shared by the header and all rows. */
export const rowGrid =
  'grid items-center gap-x-3 px-3 md:grid-cols-[1rem_7.5rem_minmax(12rem,3fr)_7.5rem_5rem] lg:grid-cols-[1rem_7.5rem_minmax(14rem,3fr)_minmax(8rem,1.2fr)_minmax(6rem,1fr)_minmax(6rem,1.2fr)_7.5rem_5rem]'

interface RunRowProps {
  readonly run: FlowRunResponse | undefined
  readonly selected: boolean
  onSelect(id: string, selected: boolean): void
}

export const RunRow = memo(function RunRow({ run, selected, onSelect }: RunRowProps) {
  if (!run) return <RowSkeleton />
  return (
    <div className={classNames(rowGrid, 'h-full', selected ? 'bg-wash' : 'hover:bg-hover')}>
      <Cell className="flex">
        <Checkbox label={`Select ${run.name}`} checked={selected} onChange={(next) => onSelect(run.id, next)} />
      </Cell>
      <Cell className="min-w-0">
        <StateBadge type={run.state_type} name={run.state_name} />
      </Cell>
      <Cell className="min-w-0">
        <RunLink run={run} />
      </Cell>
      <Cell className="hidden min-w-0 truncate text-soft lg:block">
        {run.deployment_id && (
          <Link to="/deployments/deployment/$id" params={{ id: run.deployment_id }} className="quiet-link">
            <DeploymentName id={run.deployment_id} />
          </Link>
        )}
      </Cell>
      <Cell className="hidden min-w-0 truncate text-soft lg:block">
        {run.work_pool_name && (
          <Link to="/work-pools/work-pool/$name" params={{ name: run.work_pool_name }} className="quiet-link">
            {run.work_pool_name}
          </Link>
        )}
      </Cell>
      <Cell className="hidden min-w-0 lg:block">
        <TagList tags={run.tags} limit={3} />
      </Cell>
      <Cell className="text-soft">
        <TimeText time={run.start_time ?? run.expected_start_time} show="minute" />
      </Cell>
      <Cell className="text-right text-soft">
        <RunDuration run={run} />
      </Cell>
    </div>
  )
})

/** Two lines per run, for phones. */
export const NarrowRunRow = memo(function NarrowRunRow({ run, selected, onSelect }: RunRowProps) {
  if (!run) return <RowSkeleton />
  return (
    <div className={classNames('flex h-full items-center gap-3 px-3', selected && 'bg-wash')}>
      <Cell className="flex">
        <Checkbox label={`Select ${run.name}`} checked={selected} onChange={(next) => onSelect(run.id, next)} />
      </Cell>
      <Cell className="min-w-0 flex-1">
        <RunLink run={run} />
        <span className="flex items-center gap-2 text-soft text-sm">
          <StateBadge type={run.state_type} name={run.state_name} />
          <TimeText time={run.start_time ?? run.expected_start_time} show="relative" className="ml-auto" />
          <span className="w-16 text-right">
            <RunDuration run={run} />
          </span>
        </span>
      </Cell>
    </div>
  )
})

export function RunDuration({ run }: { readonly run: FlowRunResponse }) {
  if (run.state_type === 'RUNNING' && run.start_time) return <Elapsed since={run.start_time} />
  return run.start_time ? <Duration seconds={run.total_run_time} /> : <span className="text-faint">–</span>
}

function RowSkeleton() {
  return (
    <div className={classNames(rowGrid, 'h-full')}>
      <Cell />
      <Cell>
        <Skeleton className="h-3 w-20" />
      </Cell>
      <Cell>
        <Skeleton className="h-3 w-2/3" />
      </Cell>
    </div>
  )
}
