import { endedTypes, isEnded, stateTypeName } from '@millrace/client/vocabulary/states.ts'
import type { Command } from 'commander'
import { batchSizeMax, inBatches } from '../batches.ts'
import type { Cli } from '../cli.ts'
import { CommandError } from '../errors.ts'
import { withExamples } from '../examples.ts'
import { countText } from '../output/count-text.ts'
import { quoted } from '../output/text-width.ts'
import { addSelection, proposeState, type SelectionOptions, selectRuns } from '../select-runs.ts'

/** Commands that change runs by name or by filter. */
export function flowRunCancelCommands(group: Command, cli: Cli): void {
  const cancel = addSelection(group.command('cancel').summary('Cancel flow runs')).action(async (references: string[], options: SelectionOptions) => {
    const state = { type: { not_any_: [...endedTypes, 'CANCELLING' as const] } }
    const runs = await selectRuns(cli, references, options, { verb: 'Cancel', state })
    await proposeState(cli, runs, {
      state: { type: 'CANCELLING', name: 'Cancelling', message: 'Cancelled from the command line' },
      outcome: 'being cancelled',
      // A run without infrastructure is cancelled immediately.
      otherOutcomes: { CANCELLED: 'cancelled' },
    })
  })
  withExamples(
    cancel,
    ['flow-run cancel brave-otter'],
    ['flow-run cancel --flow etl --dry-run', 'what would be cancelled'],
    ['flow-run cancel --late --pool k8s --yes', 'all late runs of a pool'],
  )

  const retry = addSelection(group.command('retry').summary('Run ended flow runs again')).action(
    async (references: string[], options: SelectionOptions) => {
      const runs = await selectRuns(cli, references, options, { verb: 'Retry', state: { type: { any_: ['FAILED', 'CRASHED'] } } })
      const active = runs.find(({ state_type }) => !isEnded(state_type))
      if (active) {
        const title = active.name === undefined ? active.id : `${quoted(active.name)}`
        const state = active.state_type ? stateTypeName(active.state_type) : 'not started'
        throw new CommandError(`Flow run ${title} is ${state}. Only runs that have ended can be retried.`)
      }
      await proposeState(cli, runs, {
        state: { type: 'SCHEDULED', name: 'AwaitingRetry', message: 'Retried from the command line' },
        outcome: 'scheduled for retry',
      })
    },
  )
  withExamples(
    retry,
    ['flow-run retry brave-otter'],
    ['flow-run retry --flow etl --since 1d', 'what failed or crashed since yesterday'],
    ['flow-run retry --state Cancelled --tag nightly --yes'],
  )

  const remove = addSelection(group.command('delete').summary('Delete flow runs with their logs and task runs')).action(
    async (references: string[], options: SelectionOptions) => {
      const runs = await selectRuns(cli, references, options, { verb: 'Delete', asksForNames: true })
      if (runs.length === 0) return
      const deleted = await inBatches(cli, runs, 'flow runs', async (batch) => {
        const body = { flow_runs: { id: { any_: batch.map(({ id }) => id) } }, limit: batchSizeMax }
        return (await cli.client.flowRuns.deleteMatching(body)).deleted
      })
      const [run] = runs
      const what = runs.length === 1 && run?.name !== undefined ? `flow run ${quoted(run.name)}` : countText(deleted.length, 'flow run')
      await cli.output.done(`Deleted ${what}.`, { deleted })
    },
  )
  withExamples(
    remove,
    ['flow-run delete brave-otter --yes'],
    ['flow-run delete --state Completed --until 30d --dry-run', 'what is older than 30 days'],
    ['flow-run delete --flow etl --tag test --yes'],
  )
}
