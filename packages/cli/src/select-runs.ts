import type { FlowRunOrchestrationResult } from '@millrace/contracts/flow-run.ts'
import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import type { StateCreate, StateType } from '@millrace/contracts/state.ts'
import type { Command } from 'commander'
import { batchSizeMax, inBatches } from './batches.ts'
import type { Cli } from './cli.ts'
import { UsageError } from './errors.ts'
import { exitCodes } from './exit-codes.ts'
import { countText } from './output/count-text.ts'
import { listFlowRuns } from './output/run-columns.ts'
import { quoted, toSingleLine } from './output/text-width.ts'
import { resolveFlowRuns } from './resolve.ts'
import { addRunFilterOptions, hasRunFilter, listMatchingRuns, type RunFilterOptions, readRunFilter } from './run-filter.ts'

export interface SelectionOptions extends RunFilterOptions {
  readonly dryRun?: boolean
  readonly yes?: boolean
}

export interface SelectedRun {
  readonly id: string
  /** Undefined for a run that a filter found. */
  readonly name?: string
  readonly state_type: StateType | null
}

/** Runs as arguments, or the options of a filter. */
export const addSelection = (command: Command): Command =>
  addRunFilterOptions(command.argument('[run...]', 'names or ids, instead of a filter'))
    .option('--dry-run', 'list the runs and change nothing')
    .option('-y, --yes', 'do not ask')

interface Selection {
  /** First word of the question, such as `Cancel`. */
  readonly verb: string
  /** The state of runs that a filter without a state selects. */
  readonly state?: FlowRunFilter['state']
  /** Asks for named runs too. A filter can match more than expected, so that it always asks. */
  readonly asksForNames?: boolean
}

const listedMax = 20

/** The runs to change, after the user confirmed. None after `--dry-run`, or if no run matches. */
export async function selectRuns(
  cli: Cli,
  references: readonly string[],
  options: SelectionOptions,
  { verb, state, asksForNames = false }: Selection,
): Promise<readonly SelectedRun[]> {
  const isFiltered = hasRunFilter(options)
  if (isFiltered && references.length > 0) throw new UsageError('Name runs, or give a filter, not both.')
  if (!isFiltered && references.length === 0) throw new UsageError('Name the runs, or select them with a filter such as --state or --flow.')
  if (!isFiltered) {
    const runs = await resolveFlowRuns(cli.client, references)
    if (options.dryRun) return showOnly(() => listFlowRuns(cli, runs, { empty: '' }))
    const [run] = runs
    const what = runs.length === 1 && run ? `flow run ${quoted(run.name)}` : countText(runs.length, 'flow run')
    if (asksForNames) await cli.confirm(`${verb} ${what}?`, options.yes)
    return runs
  }
  const { criteria } = await readRunFilter(cli.client, options, { ...(state && { state }) })
  const { signal } = cli.io
  const matching = await listMatchingRuns(cli.client, criteria, signal)
  if (matching.length === 0) return showOnly(() => cli.output.list([], [], 'No matching flow runs.'))
  if (options.dryRun) {
    return showOnly(async () => {
      const max = cli.output.isStructured ? matching.length : listedMax
      const body = { ...criteria, sort: 'EXPECTED_START_TIME_ASC' as const }
      await listFlowRuns(cli, await Array.fromAsync(cli.client.flowRuns.listAll(body, { max, signal })), { empty: '' })
      if (matching.length > max) cli.output.note(`… and ${countText(matching.length - max, 'more run')}.`)
    })
  }
  await cli.confirm(`${verb} ${countText(matching.length, 'flow run')}?`, options.yes)
  return matching
}

async function showOnly(show: () => Promise<void>): Promise<readonly SelectedRun[]> {
  await show()
  return []
}

interface Proposal {
  readonly state: StateCreate
  /** Completes "1 flow run is …". */
  readonly outcome: string
  /** Outcomes of other states that the server may set instead, and that count as success. */
  readonly otherOutcomes?: Readonly<Partial<Record<StateType, string>>>
}

/** Proposes a state for the runs, reports which accepted it, and why others did not. */
export async function proposeState(cli: Cli, runs: readonly SelectedRun[], { state, outcome, otherOutcomes = {} }: Proposal): Promise<void> {
  if (runs.length === 0) return
  const results = await inBatches(cli, runs, 'flow runs', async (batch) => {
    const body = { flow_runs: { id: { any_: batch.map(({ id }) => id) } }, state, limit: batchSizeMax }
    return (await cli.client.flowRuns.setStateOfMatching(body)).results
  })
  const outcomeOf = (result: FlowRunOrchestrationResult) =>
    result.status === 'ACCEPT' ? outcome : result.status === 'REJECT' && result.state ? otherOutcomes[result.state.type] : undefined
  const names = new Map(runs.map(({ id, name }) => [id, name === undefined ? id : quoted(name)]))
  const titleOf = (id: string) => names.get(id) ?? id
  if (cli.output.isStructured) await cli.output.data(results)
  else {
    for (const reached of [outcome, ...Object.values(otherOutcomes)]) {
      const done = results.filter((result) => outcomeOf(result) === reached)
      if (done.length === 0) continue
      const subject =
        runs.length === 1 ? `Flow run ${titleOf(runs[0]?.id ?? '')} is` : `${countText(done.length, 'flow run')} ${done.length === 1 ? 'is' : 'are'}`
      cli.output.text(`${subject} ${reached}.`)
    }
  }
  const rejected = results.filter((result) => outcomeOf(result) === undefined)
  for (const { flow_run_id: id, status, details } of rejected.slice(0, listedMax)) {
    const reason = 'reason' in details && details.reason ? details.reason : `the server answered ${status}`
    cli.output.note(`Flow run ${titleOf(id)} is not ${outcome}: ${toSingleLine(reason)}`)
  }
  if (rejected.length > listedMax) cli.output.note(`… and ${countText(rejected.length - listedMax, 'more run')}.`)
  // Deleted since they were selected.
  const missing = runs.length - results.length
  if (missing > 0) cli.output.note(`${countText(missing, 'flow run')} no longer ${missing === 1 ? 'exists' : 'exist'}.`)
  if (rejected.length + missing > 0) cli.exitCode = exitCodes.failed
}
