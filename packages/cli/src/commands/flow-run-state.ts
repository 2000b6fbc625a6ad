import type { OrchestrationResult } from '@millrace/contracts/state.ts'
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { CommandError } from '../errors.ts'
import { withExamples } from '../examples.ts'
import { collectPairs } from '../option-values.ts'
import { quoted, toSingleLine } from '../output/text-width.ts'
import { readParameters } from '../parameter-values.ts'
import { resolveFlowRun } from '../resolve.ts'
import { stateToSet } from '../state-values.ts'

interface SetStateOptions {
  readonly name?: string
  readonly message?: string
  readonly force?: boolean
}

export function flowRunStateCommands(group: Command, cli: Cli): void {
  const resume = group
    .command('resume')
    .summary('Resume a paused flow run')
    .argument('<run>', 'name or id')
    .option('--input <key=value>', 'value of an input that the run waits for; JSON, or text that is not JSON; can be repeated', collectPairs)
    .option('--inputs <json>', 'all inputs: JSON, @FILE, or - for stdin')
    .action(async (reference: string, { input = {}, inputs }: { input?: Record<string, unknown>; inputs?: string }) => {
      const run = await resolveFlowRun(cli.client, reference)
      const values = { ...(inputs === undefined ? {} : await readParameters(cli.io, inputs, '--inputs')), ...input }
      const result = await cli.client.flowRuns.resume(run.id, Object.keys(values).length > 0 ? { run_input: values } : {})
      if (result.status !== 'ACCEPT') throw new CommandError(`Flow run ${quoted(run.name)} is not resumed: ${reasonOf(result)}`)
      await cli.output.done(`Resumed flow run ${quoted(run.name)}.`, result)
    })
  withExamples(resume, ['flow-run resume brave-otter'], ['flow-run resume brave-otter --input approved=true', 'for a run that waits for input'])

  const setState = group
    .command('set-state')
    .summary('Set the state of a flow run')
    .argument('<run>', 'name or id')
    .argument('<state>', 'type or name, such as Completed, Failed or Late')
    .option('--name <name>', 'name of the state (default: that of its type)')
    .option('--message <text>', 'message of the state')
    .option('--force', 'skip the rules that could change or reject the state')
    .action(async (reference: string, stateText: string, { name, message, force = false }: SetStateOptions) => {
      const proposed = stateToSet(stateText, name)
      const run = await resolveFlowRun(cli.client, reference)
      const result = await cli.client.flowRuns.setState(run.id, { state: { ...proposed, ...(message && { message }) }, force })
      if (result.status !== 'ACCEPT') {
        const present = result.status === 'REJECT' && result.state ? ` The run is now ${result.state.name}.` : ''
        const hint = force ? '' : ' Use --force to skip the rules.'
        throw new CommandError(`Flow run ${quoted(run.name)} is not set to ${proposed.name}: ${reasonOf(result)}${present}${hint}`)
      }
      await cli.output.done(`Flow run ${quoted(run.name)} is now ${result.state?.name ?? proposed.name}.`, result)
    })
  withExamples(
    setState,
    ['flow-run set-state brave-otter Cancelled --message "Replaced by a new run"'],
    ['flow-run set-state brave-otter Failed --force', 'whatever the rules say'],
  )
}

/** Ends with a full stop. */
function reasonOf({ status, details }: OrchestrationResult): string {
  const reason = 'reason' in details && details.reason ? toSingleLine(details.reason) : `the server answered ${status}`
  return /[.!?]$/.test(reason) ? reason : `${reason}.`
}
