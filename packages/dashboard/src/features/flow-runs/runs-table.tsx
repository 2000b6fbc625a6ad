import { type FlowRunOrder, flowRunSorts } from '@millrace/client/vocabulary/run-sorts.ts'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { describeError } from '../../api/describe-error.ts'
import { cappedRunCountQuery, type FlowRunCriteria, flowRunsQuery, listedRunsMax, listMatchingRunIds } from '../../api/flow-runs.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Checkbox } from '../../ui/field.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { useNarrow } from '../../ui/use-narrow.ts'
import { HeadCell, HeadRow, VirtualRows } from '../../ui/virtual-rows.tsx'
import { usePagedRows } from '../use-paged-rows.ts'
import { NarrowRunRow, RunRow, rowGrid } from './run-row.tsx'
import { RunsBulkBar } from './runs-bulk-bar.tsx'
import { useSelection } from './use-selection.ts'

/** Shows at least 18 rows on a screen of 900 px. */
const rowHeight = 34
const narrowRowHeight = 54

interface RunsTableProps {
  readonly filter: FlowRunCriteria
  readonly sort?: FlowRunOrder | undefined
  /** Shown instead of an empty table. */
  readonly empty: ReactNode
}

/** A virtual list of runs with live updates and bulk actions. */
export function RunsTable({ filter, sort = 'newest', empty }: RunsTableProps) {
  const count = useQuery(cappedRunCountQuery(filter))
  const rows = usePagedRows(count.data, (page) => flowRunsQuery({ ...filter, sort: flowRunSorts[sort].sort, ...page }))
  const selection = useSelection()
  const isNarrow = useNarrow()
  const loaded = Array.from({ length: Math.min(rows.length, 1000) }, (_, index) => rows.at(index)?.id).filter((id) => id !== undefined)
  if (rows.error && rows.length === 0) return <ErrorState {...describeError(rows.error)} onRetry={rows.refetch} />
  if (rows.isPending) return <SkeletonRows rows={18} label="Loading runs" />
  if (count.data === 0) return empty
  return (
    <>
      <VirtualRows
        label="Runs"
        count={rows.length}
        rowHeight={isNarrow ? narrowRowHeight : rowHeight}
        onRange={rows.onRange}
        head={
          isNarrow ? undefined : (
            <HeadRow className={rowGrid}>
              <HeadCell className="flex">
                <Checkbox
                  label="Select all loaded runs"
                  checked={selection.ids.size === 0 ? false : loaded.every((id) => selection.ids.has(id)) ? true : 'some'}
                  onChange={(all) => selection.setAll(all ? loaded : [])}
                />
              </HeadCell>
              <HeadCell>State</HeadCell>
              <HeadCell>Flow / run</HeadCell>
              <HeadCell className="hidden lg:block">Deployment</HeadCell>
              <HeadCell className="hidden lg:block">Pool</HeadCell>
              <HeadCell className="hidden lg:block">Tags</HeadCell>
              <HeadCell>Start</HeadCell>
              <HeadCell className="text-right">Duration</HeadCell>
            </HeadRow>
          )
        }
        row={(index) => {
          const run = rows.at(index)
          const Row = isNarrow ? NarrowRunRow : RunRow
          return <Row run={run} selected={run !== undefined && selection.ids.has(run.id)} onSelect={selection.set} />
        }}
      />
      <RunsBulkBar
        ids={[...selection.ids]}
        matching={Math.min(count.data ?? 0, listedRunsMax)}
        onAll={async () => selection.setAll(await listMatchingRunIds(filter, listedRunsMax))}
        onDone={() => selection.setAll([])}
      />
    </>
  )
}
