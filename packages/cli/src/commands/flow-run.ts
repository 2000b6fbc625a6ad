import { type FlowRunOrder, flowRunSorts } from '@millrace/client/vocabulary/run-sorts.ts'
import { type Command, Option } from 'commander'
import type { Cli } from '../cli.ts'
import { withExamples } from '../examples.ts'
import { parsePositive } from '../option-values.ts'
import { listFlowRuns } from '../output/run-columns.ts'
import { addRunFilterOptions, type RunFilterOptions, readRunFilter } from '../run-filter.ts'
import { flowRunCancelCommands } from './flow-run-cancel.ts'
import { flowRunInspectCommand } from './flow-run-inspect.ts'
import { flowRunStateCommands } from './flow-run-state.ts'
import { flowRunWatchCommands } from './flow-run-watch.ts'

interface ListOptions extends RunFilterOptions {
  readonly limit: number
  readonly sort: FlowRunOrder
}

const noRuns = 'No flow runs. Runs that are not due yet are listed with --upcoming.'

export function flowRunCommands(group: Command, cli: Cli): void {
  const list = addRunFilterOptions(group.command('ls').summary('List flow runs, newest first'))
    .option('--limit <n>', 'maximum number', parsePositive, 20)
    .addOption(new Option('--sort <order>', 'order').choices(Object.keys(flowRunSorts)).default('newest'))
    .action(async (options: ListOptions) => {
      const { criteria, flows } = await readRunFilter(cli.client, options, { sort: options.sort })
      const body = { ...criteria, sort: flowRunSorts[options.sort].sort }
      const runs = await Array.fromAsync(cli.client.flowRuns.listAll(body, { max: options.limit, signal: cli.io.signal }))
      await listFlowRuns(cli, runs, { empty: options.upcoming ? 'No flow runs.' : noRuns, flows })
      if (runs.length === options.limit && cli.io.stderr.isTTY) cli.output.note(`Showing ${runs.length} runs. Use --limit for more.`)
    })
  withExamples(
    list,
    ['flow-run ls'],
    ['flow-run ls --state Failed Crashed --since 1d', 'what failed since yesterday'],
    ['flow-run ls --late', 'what should have started'],
    ['flow-run ls --flow etl --sort soonest', 'what starts next'],
  )

  flowRunInspectCommand(group, cli)
  flowRunWatchCommands(group, cli)
  flowRunCancelCommands(group, cli)
  flowRunStateCommands(group, cli)
}
