import { isEnded } from '@millrace/client/vocabulary/states.ts'
import type { FlowRunResponse } from '@millrace/contracts/flow-run.ts'
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { withExamples } from '../examples.ts'
import { stateColumn } from '../output/columns.ts'
import { momentField, printFields, printSection, valueLines } from '../output/details.ts'
import { durationText } from '../output/run-columns.ts'
import type { Column } from '../output/table.ts'
import { resolveFlowRun } from '../resolve.ts'
import { flowRunUrl, verdictLines } from '../show-run.ts'

interface InspectedRun extends FlowRunResponse {
  readonly flow_name: string | undefined
  readonly deployment_name: string | undefined
  readonly url: string
}

const fields: readonly Column<InspectedRun>[] = [
  { title: 'Name', value: ({ name }) => name },
  { title: 'ID', value: ({ id }) => id },
  { ...stateColumn, title: 'State' },
  { title: 'Message', value: ({ state }) => state?.message },
  { title: 'Flow', value: ({ flow_name, flow_version }) => (flow_version ? `${flow_name} (version ${flow_version})` : flow_name) },
  { title: 'Deployment', value: ({ flow_name, deployment_name }) => deployment_name && `${flow_name}/${deployment_name}` },
  { title: 'Work pool', value: ({ work_pool_name }) => work_pool_name },
  { title: 'Work queue', value: ({ work_queue_name }) => work_queue_name },
  { title: 'Tags', value: ({ tags }) => tags.join(', ') },
  { title: 'Created by', value: ({ created_by }) => created_by?.display_value ?? created_by?.type },
  momentField('Created', ({ created }) => created),
  momentField('Due', ({ start_time, next_scheduled_start_time, expected_start_time }) =>
    start_time ? null : (next_scheduled_start_time ?? expected_start_time),
  ),
  momentField('Started', ({ start_time }) => start_time),
  momentField('Ended', ({ end_time }) => end_time),
  { title: 'Duration', value: durationText },
  { title: 'Attempts', value: ({ run_count }) => run_count || null },
  { title: 'Parent task run', value: ({ parent_task_run_id }) => parent_task_run_id },
  { title: 'Infrastructure', value: ({ infrastructure_pid }) => infrastructure_pid },
  { title: 'Idempotency key', value: ({ idempotency_key }) => idempotency_key, isWide: true },
  { title: 'URL', value: ({ url }) => url },
]

const verdictsMax = 5

/** JSON and YAML have the run of the API and its verdicts. */
export function flowRunInspectCommand(group: Command, cli: Cli): void {
  const inspect = group
    .command('inspect')
    .summary('Show a flow run, its parameters and why it is not running')
    .argument('<run>', 'name or id')
    .action(async (reference: string) => {
      const { client, output } = cli
      const run = await resolveFlowRun(client, reference)
      const verdicts = await client.flowRuns.listVerdicts(run.id, { limit: verdictsMax })
      if (output.isStructured) return output.data({ ...run, verdicts })
      const [flow, deployment] = await Promise.all([
        client.flows.read(run.flow_id),
        // The deployment may have been deleted since.
        run.deployment_id === null ? undefined : client.deployments.read(run.deployment_id).catch(() => undefined),
      ])
      printFields(cli, { ...run, flow_name: flow.name, deployment_name: deployment?.name, url: flowRunUrl(cli, run.id) }, fields)
      printSection(cli, 'Parameters', valueLines(run.parameters))
      printSection(cli, 'Job variables', valueLines(run.job_variables))
      const isWaiting = run.state_type !== 'RUNNING' && !isEnded(run.state_type)
      printSection(cli, isWaiting ? 'Why it is not running' : 'Decisions of the server', verdictLines(verdicts))
    })
  withExamples(inspect, ['flow-run inspect brave-otter'], ['flow-run inspect 0196f3a2-6f0e-7c43-9d2b-5a7c1f1e2d3c -o json', 'with all fields'])
}
