import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { withExamples } from '../examples.ts'
import { resolveFlowRun } from '../resolve.ts'
import { addLogOptions, hasSentLogs, type LogOptions, patientRetry, showLogs } from '../show-logs.ts'
import { showRun } from '../show-run.ts'

export function flowRunWatchCommands(group: Command, cli: Cli): void {
  const logs = addLogOptions(
    group.command('logs').summary('Print the logs of a flow run and of its task runs').argument('<run>', 'name or id'),
  ).action(async (reference: string, options: LogOptions) => {
    const { id } = await resolveFlowRun(cli.client, reference)
    const client = cli.createClient({ retry: patientRetry })
    const isEnded = hasSentLogs(() => client.flowRuns.read(id, { signal: cli.io.signal }))
    await showLogs(cli, { flow_run_id: { any_: [id] } }, options, isEnded)
  })
  withExamples(
    logs,
    ['flow-run logs brave-otter'],
    ['flow-run logs brave-otter -f', 'until the run ends'],
    ['flow-run logs brave-otter --level error --tail 20 -t', 'the last errors, with times'],
    ['flow-run logs brave-otter -f -o json', 'one JSON object per line'],
  )

  const watch = group
    .command('watch')
    .summary('Follow a flow run until it ends')
    .description('Follow a flow run until it ends. The exit code is 0 if it completed, otherwise 28.')
    .argument('<run>', 'name or id')
    .option('--logs', 'also print its logs')
    .action(async (reference: string, options: { logs?: boolean }) => {
      await showRun(cli, await resolveFlowRun(cli.client, reference), options)
    })
  withExamples(watch, ['flow-run watch brave-otter'], ['flow-run watch brave-otter --logs && ./deploy.sh', 'only if it completed'])
}
