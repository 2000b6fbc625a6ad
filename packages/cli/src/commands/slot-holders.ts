import type { FlowRunSlotSummary } from '@millrace/contracts/concurrency-status.ts'
import { idColumn, nameColumn, stateColumn } from '../output/columns.ts'
import type { Column } from '../output/table.ts'
import { formatDuration } from '../output/time-text.ts'

/** Runs that are listed in `inspect`. */
export const listedRunsMax = 20

/** Columns of the runs that hold slots of a pool or queue. */
export const slotHolderColumns: readonly Column<FlowRunSlotSummary>[] = [
  nameColumn,
  stateColumn,
  { title: 'IN STATE FOR', value: ({ time_in_current_state: seconds }) => (seconds === null ? null : formatDuration(seconds)) },
  idColumn,
]

export const slotHolderTitle = (shown: number, total: number): string =>
  shown < total ? `Runs that hold slots (${shown} of ${total})` : 'Runs that hold slots'
