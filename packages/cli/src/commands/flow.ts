import type { Flow } from '@millrace/contracts/flow.ts'
import type { LatestRuns, RunMark } from '@millrace/contracts/latest-runs.ts'
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { withExamples } from '../examples.ts'
import { parsePositive } from '../option-values.ts'
import { ageColumn, nameColumn, stateColumn, tagsColumn, wideIdColumn } from '../output/columns.ts'
import { countText } from '../output/count-text.ts'
import { momentField, printFields, printSection, valueLines } from '../output/details.ts'
import { stateStyles } from '../output/style.ts'
import { type Column, formatTable } from '../output/table.ts'
import { quoted, toSingleLine } from '../output/text-width.ts'
import { deploymentStatus, resolveFlow } from '../resolve.ts'
import { scheduleText } from '../schedule-text.ts'

interface FlowRow extends Flow {
  readonly deployments: number
  readonly runs: LatestRuns | undefined
}

const columns: readonly Column<FlowRow>[] = [
  { ...nameColumn, isFixed: true },
  tagsColumn,
  { title: 'DEPLOYMENTS', value: ({ deployments }) => deployments, isNumber: true },
  ageColumn('LAST RUN', ({ runs }) => runs?.last[0]?.start_time ?? runs?.last[0]?.expected_start_time),
  { title: 'STATE', value: ({ runs }) => runs?.last[0]?.state_name, style: ({ runs }) => stateStyles[runs?.last[0]?.state_type ?? ''] },
  { ...ageColumn('NEXT RUN', ({ runs }) => runs?.next_scheduled_start_time), isOptional: true },
  { ...ageColumn('CREATED', ({ created }) => created), isWide: true },
  wideIdColumn,
]

/** Maximum number of flows in a request for their last runs. */
const latestMax = 200

export function flowCommands(group: Command, cli: Cli): void {
  const list = group
    .command('ls')
    .summary('List flows with their last run')
    .option('--name <text>', 'only names that contain this text')
    .option('--tag <tag...>', 'only flows with all these tags')
    .option('--limit <n>', 'maximum number', parsePositive, 200)
    .action(async ({ name, tag, limit }: { name?: string; tag?: string[]; limit: number }) => {
      const body = { flows: { ...(name && { name: { like_: name } }), ...(tag && { tags: { all_: tag } }) } }
      const flows = await Array.fromAsync(cli.client.flows.listAll(body, { max: limit }))
      if (cli.output.isStructured) return cli.output.data(flows)
      await cli.output.list(await withRuns(cli, flows), columns, 'No flows.')
    })
  withExamples(list, ['flow ls'], ['flow ls --tag prod -o wide', 'with ids'])

  const inspect = group
    .command('inspect')
    .summary('Show a flow, its deployments and its last runs')
    .argument('<flow>', 'name or id')
    .action(async (reference: string) => {
      const flow = await resolveFlow(cli.client, reference)
      if (cli.output.isStructured) return cli.output.data(flow)
      await showFlow(cli, flow)
    })
  withExamples(inspect, ['flow inspect etl'])

  const remove = group
    .command('delete')
    .summary('Delete a flow with its deployments and runs')
    .argument('<flow>', 'name or id')
    .option('-y, --yes', 'do not ask')
    .action(async (reference: string, { yes }: { yes?: boolean }) => {
      const { client } = cli
      const { id, name } = await resolveFlow(client, reference)
      const criteria = { flows: { id: { any_: [id] } } }
      const [deployments, runs] = await Promise.all([client.deployments.count(criteria), client.flowRuns.count(criteria)])
      const contents = `${countText(deployments, 'deployment')} and ${countText(runs, 'flow run')}`
      await cli.confirm(`Delete flow ${quoted(name)} with ${contents}?`, yes)
      // The server deletes the runs of the flow before it answers.
      await client.flows.delete(id, { timeoutSeconds: 600 })
      await cli.output.done(`Deleted flow ${quoted(name)} with ${contents}.`, { id, name, deployments, flow_runs: runs })
    })
  withExamples(remove, ['flow delete etl'], ['flow delete etl --yes', 'without a question'])
}

async function withRuns(cli: Cli, flows: readonly Flow[]): Promise<FlowRow[]> {
  const rows: FlowRow[] = []
  for (let at = 0; at < flows.length; at += latestMax) {
    const batch = flows.slice(at, at + latestMax)
    const ids = batch.map(({ id }) => id)
    const [counts, latest] = await Promise.all([
      cli.client.flows.countDeployments({ flow_ids: ids }),
      cli.client.flowRuns.latest({ flow_ids: ids, limit: 1 }),
    ])
    rows.push(...batch.map((flow) => ({ ...flow, deployments: counts[flow.id] ?? 0, runs: latest[flow.id] })))
  }
  return rows
}

const fields: readonly Column<Flow & { readonly next: string | null | undefined }>[] = [
  { title: 'Name', value: ({ name }) => name },
  { title: 'ID', value: ({ id }) => id },
  { title: 'Tags', value: ({ tags }) => tags.join(', ') },
  momentField('Created', ({ created }) => created),
  momentField('Next run', ({ next }) => next),
]

const runColumns: readonly Column<RunMark>[] = [nameColumn, stateColumn, ageColumn('STARTED', ({ start_time }) => start_time)]

const deploymentsMax = 200
const runsMax = 5

async function showFlow(cli: Cli, flow: Flow): Promise<void> {
  const { client, output } = cli
  const [deployments, latest] = await Promise.all([
    client.deployments.list({ flows: { id: { any_: [flow.id] } }, limit: deploymentsMax }),
    client.flowRuns.latest({ flow_ids: [flow.id], limit: runsMax }),
  ])
  const runs = latest[flow.id]
  printFields(cli, { ...flow, next: runs?.next_scheduled_start_time }, fields)
  printSection(cli, 'Labels', valueLines(flow.labels))
  printSection(
    cli,
    'Deployments',
    deployments.map((deployment) => {
      const schedules = deployment.schedules.map(({ schedule }) => scheduleText(schedule)).join('; ')
      return [toSingleLine(deployment.name), deploymentStatus(deployment), schedules].filter(Boolean).join('  ')
    }),
  )
  const last = runs?.last ?? []
  if (last.length > 0) printSection(cli, 'Last runs', formatTable(last, runColumns, output.style).split('\n'))
}
