import type { LatestRuns } from '@millrace/contracts/latest-runs.ts'
import { type Command, Option } from 'commander'
import { batchSizeMax, inBatches } from '../batches.ts'
import type { Cli } from '../cli.ts'
import { withExamples } from '../examples.ts'
import { parsePositive } from '../option-values.ts'
import { ageColumn } from '../output/columns.ts'
import { countText } from '../output/count-text.ts'
import { stateStyles } from '../output/style.ts'
import type { Column } from '../output/table.ts'
import { quoted } from '../output/text-width.ts'
import { deploymentStatus, type NamedDeployment, resolveDeployment, withTitles } from '../resolve.ts'
import { scheduleText } from '../schedule-text.ts'
import { deploymentInspectCommand } from './deployment-inspect.ts'
import { deploymentRunCommand } from './deployment-run.ts'
import { deploymentScheduleCommands } from './deployment-schedule.ts'

interface DeploymentRow extends NamedDeployment {
  readonly runs: LatestRuns | undefined
}

const columns: readonly Column<DeploymentRow>[] = [
  { title: 'DEPLOYMENT', value: ({ title }) => title, isFixed: true },
  { title: 'STATUS', value: ({ deployment }) => deploymentStatus(deployment), style: ({ deployment }) => statusStyle(deploymentStatus(deployment)) },
  { title: 'SCHEDULE', value: ({ deployment }) => schedulesText(deployment.schedules) },
  { title: 'POOL', value: ({ deployment }) => deployment.work_pool_name, isOptional: true },
  ageColumn('LAST RUN', ({ runs }) => runs?.last[0]?.start_time ?? runs?.last[0]?.expected_start_time),
  {
    title: 'STATE',
    value: ({ runs }) => runs?.last[0]?.state_name,
    style: ({ runs }) => stateStyles[runs?.last[0]?.state_type ?? ''],
    isOptional: true,
  },
  { ...ageColumn('NEXT RUN', ({ runs }) => runs?.next_scheduled_start_time), isOptional: true },
  { title: 'TAGS', value: ({ deployment }) => deployment.tags.join(', '), isWide: true },
  { title: 'VERSION', value: ({ deployment }) => deployment.version, isWide: true },
  { title: 'ID', value: ({ deployment }) => deployment.id, isFixed: true, isWide: true },
]

const statusStyle = (status: string) => (status === 'ready' ? 'green' : status === 'paused' ? 'yellow' : 'gray')

/** The schedules that are active, or the others in brackets. */
function schedulesText(schedules: NamedDeployment['deployment']['schedules']): string {
  const active = schedules.filter((each) => each.active)
  const shown = (active.length > 0 ? active : schedules).map(({ schedule }) => scheduleText(schedule)).join('; ')
  return active.length > 0 || schedules.length === 0 ? shown : `(${shown})`
}

const sorts = { name: 'NAME_ASC', created: 'CREATED_DESC', updated: 'UPDATED_DESC' } as const

interface ListOptions {
  readonly name?: string
  readonly flow?: string[]
  readonly tag?: string[]
  readonly pool?: string[]
  readonly paused?: boolean
  readonly limit: number
  readonly sort: keyof typeof sorts
}

/** Maximum number of deployments in a request for their last runs. */
const latestMax = 200

export function deploymentCommands(group: Command, cli: Cli): void {
  const list = group
    .command('ls')
    .summary('List deployments with their last and next run')
    .option('--name <text>', 'only deployments whose name or flow name contains this text')
    .option('--flow <name...>', 'only deployments of these flows')
    .option('--tag <tag...>', 'only deployments with all these tags')
    .option('--pool <name...>', 'only deployments in these work pools')
    .option('--paused', 'only paused deployments')
    .option('--limit <n>', 'maximum number', parsePositive, 200)
    .addOption(new Option('--sort <order>', 'order').choices(Object.keys(sorts)).default('name'))
    .action(async ({ name, flow, tag, pool, paused, limit, sort }: ListOptions) => {
      const body = {
        deployments: {
          ...(name && { flow_or_deployment_name: { like_: name } }),
          ...(tag && { tags: { all_: tag } }),
          ...(paused && { paused: { eq_: true } }),
        },
        ...(flow && { flows: { name: { any_: flow } } }),
        ...(pool && { work_pools: { name: { any_: pool } } }),
        sort: sorts[sort],
      }
      const deployments = await Array.fromAsync(cli.client.deployments.listAll(body, { max: limit }))
      if (cli.output.isStructured) return cli.output.data(deployments)
      await cli.output.list(await withRuns(cli, await withTitles(cli.client, deployments)), columns, 'No deployments.')
    })
  withExamples(list, ['deployment ls'], ['deployment ls --flow etl --tag prod -o wide', 'with ids'])

  deploymentInspectCommand(group, cli)
  deploymentRunCommand(group, cli)

  const pause = group
    .command('pause')
    .summary('Pause deployments: their schedules create no runs')
    .argument('<deployment...>', 'flow/deployment, id or unique name')
    .action((references: string[]) => setPaused(cli, references, true))
  withExamples(pause, ['deployment pause etl/prod'])

  const resume = group
    .command('resume')
    .summary('Resume paused deployments')
    .argument('<deployment...>', 'flow/deployment, id or unique name')
    .action((references: string[]) => setPaused(cli, references, false))
  withExamples(resume, ['deployment resume etl/prod'])

  const remove = group
    .command('delete')
    .summary('Delete deployments with their schedules and runs that have not started')
    .argument('<deployment...>', 'flow/deployment, id or unique name')
    .option('-y, --yes', 'do not ask')
    .action(async (references: string[], { yes }: { yes?: boolean }) => {
      const found = await resolveAll(cli, references)
      const ids = found.map(({ deployment }) => deployment.id)
      const planned = await cli.client.flowRuns.count({ flow_runs: { deployment_id: { any_: ids }, state: { type: { any_: ['SCHEDULED'] } } } })
      const what = titlesText(found)
      await cli.confirm(`Delete ${what} and ${countText(planned, 'scheduled run')}?`, yes)
      const deleted = await inBatches(cli, ids, 'deployments', async (batch) => {
        const body = { deployments: { id: { any_: [...batch] } }, limit: batchSizeMax }
        return (await cli.client.deployments.deleteMatching(body)).deleted
      })
      await cli.output.done(`Deleted ${what}.`, { deleted })
    })
  withExamples(remove, ['deployment delete etl/prod'], ['deployment delete etl/prod etl/test --yes', 'without a question'])

  deploymentScheduleCommands(group, cli)
}

async function withRuns(cli: Cli, deployments: readonly NamedDeployment[]): Promise<DeploymentRow[]> {
  const rows: DeploymentRow[] = []
  for (let at = 0; at < deployments.length; at += latestMax) {
    const batch = deployments.slice(at, at + latestMax)
    const latest = await cli.client.flowRuns.latest({ deployment_ids: batch.map(({ deployment }) => deployment.id), limit: 1 })
    rows.push(...batch.map((each) => ({ ...each, runs: latest[each.deployment.id] })))
  }
  return rows
}

const resolveAll = (cli: Cli, references: readonly string[]): Promise<NamedDeployment[]> =>
  Promise.all(references.map((reference) => resolveDeployment(cli.client, reference)))

const titlesText = (found: readonly NamedDeployment[]): string =>
  `deployment${found.length === 1 ? '' : 's'} ${found.map(({ title }) => quoted(title)).join(', ')}`

async function setPaused(cli: Cli, references: readonly string[], isPaused: boolean): Promise<void> {
  const found = await resolveAll(cli, references)
  for (const { deployment } of found) await (isPaused ? cli.client.deployments.pause(deployment.id) : cli.client.deployments.resume(deployment.id))
  const deployments = found.map(({ deployment }) => ({ id: deployment.id, name: deployment.name, paused: isPaused }))
  await cli.output.done(`${isPaused ? 'Paused' : 'Resumed'} ${titlesText(found)}.`, deployments)
}
