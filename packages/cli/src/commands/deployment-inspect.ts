import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import type { DeploymentSchedule } from '@millrace/contracts/schedule.ts'
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { withExamples } from '../examples.ts'
import { formatMomentWithAge, momentField, printFields, printSection, valueLines } from '../output/details.ts'
import type { Column } from '../output/table.ts'
import { toSafeText, toSingleLine } from '../output/text-width.ts'
import { deploymentStatus, resolveDeployment } from '../resolve.ts'
import { scheduleText } from '../schedule-text.ts'

const fields: readonly Column<DeploymentResponse & { readonly title: string; readonly url: string }>[] = [
  { title: 'Name', value: ({ title }) => title },
  { title: 'ID', value: ({ id }) => id },
  { title: 'Status', value: deploymentStatus },
  { title: 'Version', value: ({ version }) => version },
  { title: 'Tags', value: ({ tags }) => tags.join(', ') },
  { title: 'Work pool', value: ({ work_pool_name }) => work_pool_name },
  { title: 'Work queue', value: ({ work_queue_name }) => work_queue_name },
  { title: 'Run limit', value: ({ global_concurrency_limit: limit }) => limit && `${limit.limit} (${limit.active_slots} in use)` },
  { title: 'Entrypoint', value: ({ entrypoint }) => entrypoint },
  { title: 'Path', value: ({ path }) => path },
  { title: 'Checks parameters', value: ({ enforce_parameter_schema }) => enforce_parameter_schema },
  momentField('Last polled', ({ last_polled }) => last_polled),
  momentField('Created', ({ created }) => created),
  momentField('Updated', ({ updated }) => updated),
  { title: 'URL', value: ({ url }) => url },
]

const previewCount = 3

/** The next times of a schedule. A paused deployment has none. */
export async function nextTimes(cli: Cli, { schedule, active }: DeploymentSchedule, isPaused: boolean): Promise<string[]> {
  if (!active || isPaused) return []
  return (await cli.client.deployments.previewSchedule({ schedule, count: previewCount })).next
}

/** JSON and YAML have the deployment of the API, with the next times of each schedule. */
export function deploymentInspectCommand(group: Command, cli: Cli): void {
  const inspect = group
    .command('inspect')
    .summary('Show a deployment, its parameters and the next times of its schedules')
    .argument('<deployment>', 'flow/deployment, id or unique name')
    .action(async (reference: string) => {
      const { deployment, title } = await resolveDeployment(cli.client, reference)
      const schedules = await Promise.all(
        deployment.schedules.map(async (each) => ({ ...each, next: await nextTimes(cli, each, deployment.paused) })),
      )
      if (cli.output.isStructured) return cli.output.data({ ...deployment, schedules })
      const url = `${cli.connection.url.replace(/\/api$/, '')}/deployments/deployment/${deployment.id}`
      printFields(cli, { ...deployment, title, url }, fields)
      if (deployment.description) printSection(cli, 'Description', toSafeText(deployment.description).split('\n'))
      printSection(
        cli,
        'Schedules',
        schedules.flatMap((each) => [
          [
            toSingleLine(scheduleText(each.schedule)),
            ...(each.slug ? [`(${toSingleLine(each.slug)})`] : []),
            ...(each.active ? [] : ['paused']),
          ].join('  '),
          ...each.next.map((time) => `  ${formatMomentWithAge(time)}`),
        ]),
      )
      printSection(cli, 'Parameters', parameterLines(deployment))
      printSection(cli, 'Job variables', valueLines(deployment.job_variables))
    })
  withExamples(inspect, ['deployment inspect etl/prod'], ['deployment inspect etl/prod -o yaml', 'with all fields'])
}

interface ParameterSchema {
  readonly type?: string
  readonly default?: unknown
}

/** Each parameter with its type and its value, or its default if the deployment has no value for it. */
export function parameterLines({ parameters, parameter_openapi_schema: schema }: DeploymentResponse): string[] {
  const properties = (schema?.properties ?? {}) as Record<string, ParameterSchema>
  const required = (schema?.required ?? []) as string[]
  const names = [...new Set([...Object.keys(properties), ...Object.keys(parameters)])]
  const width = Math.max(0, ...names.map((name) => name.length))
  return names.map((name) => {
    const property = properties[name]
    const known = name in parameters ? JSON.stringify(parameters[name]) : undefined
    const missing =
      property?.default !== undefined ? `default ${JSON.stringify(property.default)}` : required.includes(name) ? 'required' : 'optional'
    const type = property?.type ? ` (${property.type})` : ''
    return toSingleLine(`${name.padEnd(width)}  ${known ?? missing}${type}`)
  })
}
