import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import type { DeploymentSchedule, Schedule } from '@millrace/contracts/schedule.ts'
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { CommandError, UsageError } from '../errors.ts'
import { withExamples } from '../examples.ts'
import { itemNotFound } from '../find-item.ts'
import { collectPairs, parsePositive } from '../option-values.ts'
import { ageColumn, idColumn } from '../output/columns.ts'
import { formatMomentWithAge, printSection } from '../output/details.ts'
import type { Column } from '../output/table.ts'
import { quoted, toSingleLine } from '../output/text-width.ts'
import { isId, onlyMatch, resolveDeployment } from '../resolve.ts'
import { scheduleText } from '../schedule-text.ts'
import { parseDurationOption, parseTimeOption } from '../time-values.ts'
import { nextTimes } from './deployment-inspect.ts'

interface ScheduleRow extends DeploymentSchedule {
  readonly next: readonly string[]
}

const columns: readonly Column<ScheduleRow>[] = [
  idColumn,
  { title: 'SCHEDULE', value: ({ schedule }) => scheduleText(schedule) },
  { title: 'ACTIVE', value: ({ active }) => active },
  { ...ageColumn('NEXT RUN', ({ next }) => next[0]), isOptional: true },
  { title: 'PARAMETERS', value: ({ parameters }) => (Object.keys(parameters).length > 0 ? JSON.stringify(parameters) : ''), isOptional: true },
  { title: 'SLUG', value: ({ slug }) => slug, isOptional: true },
]

interface CreateOptions {
  readonly cron?: string
  readonly interval?: number
  readonly rrule?: string
  readonly timezone?: string
  readonly anchor?: string
  readonly parameter?: Record<string, unknown>
  readonly slug?: string
  readonly maxRuns?: number
  readonly paused?: boolean
}

const deploymentArgument = 'flow/deployment, id or unique name'
const scheduleArgument = 'id or slug; needed if the deployment has several'

export function deploymentScheduleCommands(parent: Command, cli: Cli): void {
  const group = parent.command('schedule').summary('Manage the schedules of a deployment').description('Manage the schedules of a deployment.')

  const list = group
    .command('ls')
    .summary('List the schedules of a deployment with their next run')
    .argument('<deployment>', deploymentArgument)
    .action(async (reference: string) => {
      const { deployment, title } = await resolveDeployment(cli.client, reference)
      if (cli.output.isStructured) return cli.output.data(deployment.schedules)
      const rows = await Promise.all(deployment.schedules.map(async (each) => ({ ...each, next: await nextTimes(cli, each, deployment.paused) })))
      await cli.output.list(rows, columns, `Deployment ${title} has no schedules.`)
    })
  withExamples(list, ['deployment schedule ls etl/prod'])

  const create = group
    .command('create')
    .summary('Add a schedule to a deployment')
    .argument('<deployment>', deploymentArgument)
    .option('--cron <expression>', 'cron expression, such as "0 6 * * 1-5"')
    .option('--interval <duration>', 'interval, such as 1h, 90s or PT1H', parseDurationOption)
    .option('--rrule <rule>', 'iCalendar rule, such as FREQ=WEEKLY;BYDAY=MO')
    .option('--timezone <name>', 'time zone, such as Europe/Berlin (default: UTC)')
    .option('--anchor <time>', 'with --interval: a time from which the intervals are counted (default: now)', parseTimeOption)
    .option('--parameter <key=value>', 'parameter of the scheduled runs; JSON, or text that is not JSON; can be repeated', collectPairs)
    .option('--slug <text>', 'name of the schedule, unique in the deployment')
    .option('--max-runs <n>', 'maximum number of runs to plan in advance', parsePositive)
    .option('--paused', 'create it paused')
    .action(async (reference: string, options: CreateOptions) => {
      const schedule = toSchedule(options)
      const { deployment, title } = await resolveDeployment(cli.client, reference)
      const [created] = await cli.client.deployments.createSchedules(deployment.id, [
        {
          schedule,
          active: !options.paused,
          ...(options.parameter && { parameters: options.parameter }),
          ...(options.slug && { slug: options.slug }),
          ...(options.maxRuns && { max_scheduled_runs: options.maxRuns }),
        },
      ])
      if (!created) throw new CommandError(`The server did not return the schedule of ${title}.`)
      if (cli.output.isStructured) return cli.output.data(created)
      cli.output.text(`Created schedule ${created.id} of ${title}: ${toSingleLine(scheduleText(created.schedule))}`)
      const next = await nextTimes(cli, created, deployment.paused)
      printSection(cli, 'Next runs', next.map(formatMomentWithAge))
      if (deployment.paused) cli.output.note(`Deployment ${title} is paused. Resume it with \`millrace deployment resume ${title}\`.`)
    })
  withExamples(
    create,
    ['deployment schedule create etl/prod --cron "0 6 * * 1-5" --timezone Europe/Berlin'],
    ['deployment schedule create etl/prod --interval 15m --parameter rows=1000'],
    ['deployment schedule create etl/prod --rrule "FREQ=MONTHLY;BYMONTHDAY=-1"', 'the last day of each month'],
  )

  const pause = group
    .command('pause')
    .summary('Pause a schedule')
    .argument('<deployment>', deploymentArgument)
    .argument('[schedule]', scheduleArgument)
    .action((reference: string, schedule: string | undefined) => setActive(cli, reference, schedule, false))
  withExamples(pause, ['deployment schedule pause etl/prod'], ['deployment schedule pause etl/prod nightly', 'by slug'])

  const resume = group
    .command('resume')
    .summary('Resume a paused schedule')
    .argument('<deployment>', deploymentArgument)
    .argument('[schedule]', scheduleArgument)
    .action((reference: string, schedule: string | undefined) => setActive(cli, reference, schedule, true))
  withExamples(resume, ['deployment schedule resume etl/prod'])

  const remove = group
    .command('delete')
    .summary('Delete a schedule and its planned runs')
    .argument('<deployment>', deploymentArgument)
    .argument('[schedule]', scheduleArgument)
    .option('-y, --yes', 'do not ask')
    .action(async (reference: string, scheduleReference: string | undefined, { yes }: { yes?: boolean }) => {
      const { deployment, title } = await resolveDeployment(cli.client, reference)
      const { id, schedule } = findSchedule(deployment, title, scheduleReference)
      const text = toSingleLine(scheduleText(schedule))
      await cli.confirm(`Delete schedule "${text}" of ${title} and its planned runs?`, yes)
      await cli.client.deployments.deleteSchedule(deployment.id, id)
      await cli.output.done(`Deleted schedule "${text}" of ${title}.`, { id })
    })
  withExamples(remove, ['deployment schedule delete etl/prod nightly --yes'])
}

function toSchedule({ cron, interval, rrule, timezone, anchor }: CreateOptions): Schedule {
  if ([cron, interval, rrule].filter((each) => each !== undefined).length !== 1) throw new UsageError('Give one of --cron, --interval and --rrule.')
  if (anchor !== undefined && interval === undefined) throw new UsageError('--anchor needs --interval.')
  const zone = { ...(timezone && { timezone }) }
  if (cron !== undefined) return { cron, ...zone }
  if (rrule !== undefined) return { rrule, ...zone }
  return { interval: interval as number, ...(anchor && { anchor_date: anchor }), ...zone }
}

/** The schedule with this id or slug, or the only one. */
function findSchedule({ schedules }: DeploymentResponse, title: string, reference: string | undefined): DeploymentSchedule {
  if (reference === undefined) {
    if (schedules.length === 0) throw new CommandError(`Deployment ${title} has no schedules.`, 'notFound')
    if (schedules.length === 1) return schedules[0] as DeploymentSchedule
    const lines = schedules.map(({ id, slug, schedule }) => `  ${id}  ${toSingleLine([slug, scheduleText(schedule)].filter(Boolean).join('  '))}`)
    throw new CommandError(`Deployment ${title} has several schedules. Name one by its id or slug:\n${lines.join('\n')}`, 'ambiguous')
  }
  const isMatch = ({ id, slug }: DeploymentSchedule) => slug === reference || (isId(reference) && id === reference.toLowerCase())
  const noun = `Schedule of ${title}`
  const found = schedules.filter(isMatch)
  if (found.length === 0) throw itemNotFound({ noun, name: toSingleLine(reference), list: `deployment schedule ls ${title}` })
  return onlyMatch(found, noun, reference)
}

async function setActive(cli: Cli, reference: string, scheduleReference: string | undefined, active: boolean): Promise<void> {
  const { deployment, title } = await resolveDeployment(cli.client, reference)
  const { id, schedule, parameters } = findSchedule(deployment, title, scheduleReference)
  // The server clears parameters that an update omits.
  await cli.client.deployments.updateSchedule(deployment.id, id, { active, parameters })
  await cli.output.done(`${active ? 'Resumed' : 'Paused'} schedule ${quoted(scheduleText(schedule))} of ${title}.`, { id, active })
}
