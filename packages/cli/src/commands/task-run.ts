import { type TaskRunOrder, taskRunSorts } from '@millrace/client/vocabulary/run-sorts.ts'
import { parseState, stateCriteria } from '@millrace/client/vocabulary/states.ts'
import type { TaskRun } from '@millrace/contracts/task-run.ts'
import type { TaskRunFilter } from '@millrace/contracts/task-run-filter.ts'
import type { UITaskRun } from '@millrace/contracts/ui.ts'
import { type Command, Option } from 'commander'
import type { Cli } from '../cli.ts'
import { withExamples } from '../examples.ts'
import { parsePositive } from '../option-values.ts'
import { idColumn, nameColumn, stateColumn, tagsColumn } from '../output/columns.ts'
import { momentField, printFields, printSection, valueLines } from '../output/details.ts'
import { durationColumn, durationText, startedColumn } from '../output/run-columns.ts'
import type { Column } from '../output/table.ts'
import { readRunNames, resolveFlow, resolveFlowRun, resolveTaskRun } from '../resolve.ts'
import { addLogOptions, hasSentLogs, type LogOptions, patientRetry, showLogs } from '../show-logs.ts'
import { verdictLines } from '../show-run.ts'
import { parsePastTime } from '../time-values.ts'

interface ListOptions {
  readonly flowRun?: string
  readonly flow?: string[]
  readonly state?: string[]
  readonly name?: string
  readonly tag?: string[]
  readonly since?: string
  readonly limit: number
  readonly sort: TaskRunOrder
}

interface TaskRunRow extends TaskRun {
  readonly flow_run_name: string | undefined
}

const columns: readonly Column<TaskRunRow>[] = [
  idColumn,
  nameColumn,
  { title: 'FLOW RUN', value: ({ flow_run_name }) => flow_run_name, isOptional: true },
  stateColumn,
  startedColumn,
  durationColumn,
  { title: 'ATTEMPTS', value: ({ run_count }) => run_count, isNumber: true, isWide: true },
  { ...tagsColumn, isWide: true },
]

export function taskRunCommands(group: Command, cli: Cli): void {
  const list = group
    .command('ls')
    .summary('List task runs, newest first')
    .option('--flow-run <run>', 'only task runs of this flow run, by name or id')
    .option('--flow <flow...>', 'only task runs of these flows, by name or id')
    .option('--state <state...>', 'only task runs in one of these states, by type or name')
    .option('--name <text>', 'only task runs whose name contains this text')
    .option('--tag <tag...>', 'only task runs with all these tags')
    .option('--since <time>', 'only task runs that were due after this time: a duration before now (2h, 1d) or a time', parsePastTime)
    .option('--limit <n>', 'maximum number', parsePositive, 20)
    .addOption(new Option('--sort <order>', 'order').choices(Object.keys(taskRunSorts)).default('newest'))
    .action(async (options: ListOptions) => {
      const { flowRun, flow = [], state, name, tag, since, limit } = options
      const run = flowRun === undefined ? undefined : await resolveFlowRun(cli.client, flowRun)
      const flows = await Promise.all(flow.map((reference) => resolveFlow(cli.client, reference)))
      const filter: TaskRunFilter = {
        ...(run && { flow_run_id: { any_: [run.id] } }),
        ...(state && { state: stateCriteria(state.map(parseState)) as TaskRunFilter['state'] }),
        ...(name && { name: { like_: name } }),
        ...(tag && { tags: { all_: tag } }),
        ...(since && { expected_start_time: { after_: since } }),
      }
      const body = {
        task_runs: filter,
        ...(flows.length > 0 && { flows: { id: { any_: flows.map(({ id }) => id) } } }),
        sort: taskRunSorts[options.sort].sort,
      }
      const runs = await Array.fromAsync(cli.client.taskRuns.listAll(body, { max: limit, signal: cli.io.signal }))
      if (cli.output.isStructured) return cli.output.data(runs)
      const runIds = runs.map((each) => each.flow_run_id)
      const names = run ? new Map([[run.id, run.name]]) : await readRunNames(cli.client, runIds)
      const rows = runs.map((each): TaskRunRow => ({ ...each, flow_run_name: names.get(each.flow_run_id ?? '') }))
      await cli.output.list(rows, columns, 'No task runs.')
    })
  withExamples(list, ['task-run ls --flow-run brave-otter'], ['task-run ls --state Failed --since 1d', 'what failed since yesterday'])

  const inspect = group
    .command('inspect')
    .summary('Show a task run and why it is not running')
    .argument('<run>', 'name or id')
    .action(async (reference: string) => {
      const { id } = await resolveTaskRun(cli.client, reference)
      const [run, verdicts] = await Promise.all([cli.client.taskRuns.readWithFlowRunName(id), cli.client.taskRuns.listVerdicts(id, { limit: 5 })])
      if (cli.output.isStructured) return cli.output.data({ ...run, verdicts })
      printFields(cli, run, fields)
      printSection(cli, 'Inputs', inputLines(run))
      printSection(cli, 'Decisions of the server', verdictLines(verdicts))
    })
  withExamples(inspect, ['task-run inspect load-3'], ['task-run inspect load-3 -o json', 'with all fields'])

  const logs = addLogOptions(group.command('logs').summary('Print the logs of a task run').argument('<run>', 'name or id')).action(
    async (reference: string, options: LogOptions) => {
      const { id } = await resolveTaskRun(cli.client, reference)
      const client = cli.createClient({ retry: patientRetry })
      const isEnded = hasSentLogs(() => client.taskRuns.read(id, { signal: cli.io.signal }))
      await showLogs(cli, { task_run_id: { any_: [id] } }, options, isEnded)
    },
  )
  withExamples(logs, ['task-run logs load-3'], ['task-run logs load-3 -f', 'until the task run ends'])
}

const fields: readonly Column<UITaskRun>[] = [
  { title: 'Name', value: ({ name }) => name },
  { title: 'ID', value: ({ id }) => id },
  { ...stateColumn, title: 'State' },
  { title: 'Message', value: ({ state }) => state?.message },
  { title: 'Task', value: ({ task_key }) => task_key },
  { title: 'Flow run', value: ({ flow_run_name, flow_run_id }) => (flow_run_id ? `${flow_run_name} (${flow_run_id})` : null) },
  { title: 'Tags', value: ({ tags }) => tags.join(', ') },
  momentField('Created', ({ created }) => created),
  momentField('Started', ({ start_time }) => start_time),
  momentField('Ended', ({ end_time }) => end_time),
  { title: 'Duration', value: durationText },
  { title: 'Attempts', value: ({ run_count }) => run_count || null },
  { title: 'Retries', value: ({ empirical_policy }) => empirical_policy.retries },
  { title: 'Cache key', value: ({ cache_key }) => cache_key },
]

/** `rows  task run 0196…`: where each argument comes from. */
const inputLines = ({ task_inputs }: UITaskRun): string[] =>
  valueLines(
    Object.fromEntries(
      Object.entries(task_inputs).flatMap(([name, sources]) => (sources.length === 0 ? [] : [[name, sources.length === 1 ? sources[0] : sources]])),
    ),
  )
