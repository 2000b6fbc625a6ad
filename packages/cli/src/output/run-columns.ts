import type { Flow } from '@millrace/contracts/flow.ts'
import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import type { Cli } from '../cli.ts'
import { readFlowNames } from '../resolve.ts'
import { ageColumn, idColumn, nameColumn, stateColumn, tagsColumn } from './columns.ts'
import type { Column } from './table.ts'
import { formatAge, formatDuration } from './time-text.ts'

/** The times of a flow run or task run. */
interface RunTimes {
  readonly start_time: string | null
  readonly next_scheduled_start_time: string | null
  readonly expected_start_time: string | null
  readonly estimated_run_time: number
}

/** When a run started, or when it is or was due. */
export function startText(run: RunTimes): string {
  if (run.start_time) return formatAge(run.start_time, Date.now())
  const due = formatAge(run.next_scheduled_start_time ?? run.expected_start_time, Date.now())
  return due.endsWith('ago') ? `due ${due}` : due
}

/** The run time of a run that has started, including the current attempt. */
export const durationText = (run: Pick<RunTimes, 'start_time' | 'estimated_run_time'>): string =>
  run.start_time ? formatDuration(run.estimated_run_time) : ''

export const startedColumn: Column<RunTimes> = { title: 'STARTED', value: startText, isOptional: true }
export const durationColumn: Column<RunTimes> = { title: 'DURATION', value: durationText, isOptional: true }

interface FlowRunRow extends FlowRunResponse {
  readonly flow_name: string
}

const columns: readonly Column<FlowRunRow>[] = [
  idColumn,
  nameColumn,
  { title: 'FLOW', value: ({ flow_name }) => flow_name, isOptional: true },
  stateColumn,
  startedColumn,
  durationColumn,
  { title: 'POOL', value: ({ work_pool_name }) => work_pool_name, isWide: true },
  { ...tagsColumn, isWide: true },
  { ...ageColumn('CREATED', ({ created }) => created), isWide: true },
]

/** Prints flow runs. The names of their flows are read in one request, except those of `flows`. JSON needs no names. */
export async function listFlowRuns(
  cli: Cli,
  runs: readonly FlowRunResponse[],
  { empty, flows = [] }: { readonly empty: string; readonly flows?: readonly Flow[] },
): Promise<void> {
  if (cli.output.isStructured) return cli.output.data(runs)
  const names = await readFlowNames(cli.client, runs, flows)
  const rows = runs.map((run): FlowRunRow => ({ ...run, flow_name: names.get(run.flow_id) ?? '' }))
  await cli.output.list(rows, columns, empty)
}
