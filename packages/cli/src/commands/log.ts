import type { Log, LogFilter } from '@millrace/contracts/log.ts'
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { withExamples } from '../examples.ts'
import { followLogs, readLastLogs } from '../follow-logs.ts'
import { parseCount, parsePositive } from '../option-values.ts'
import { formatLog, parseLevel } from '../output/log-lines.ts'
import { readRunNames, resolveFlowRun, resolveTaskRun } from '../resolve.ts'
import { logPrinter, patientRetry } from '../show-logs.ts'
import { parsePastTime } from '../time-values.ts'

interface SearchOptions {
  readonly level?: number
  readonly text?: string
  readonly flowRun?: string[]
  readonly taskRun?: string[]
}

const addSearchOptions = (command: Command): Command =>
  command
    .option('--level <level>', 'only this level and higher ones: debug, info, warning, error, critical', parseLevel)
    .option('--text <words>', 'only logs with one of these words; -word excludes, +word requires, quotes form a phrase')
    .option('--flow-run <run...>', 'only logs of these flow runs, by name or id')
    .option('--task-run <run...>', 'only logs of these task runs, by name or id')

/** Size of the window that separates present logs from new ones. */
const windowSize = 200

export function logCommands(group: Command, cli: Cli): void {
  const list = addSearchOptions(group.command('ls').summary('Search the logs of all runs, newest last'))
    .option('--since <time>', 'only logs after this time: a duration before now (10m, 2h) or a time', parsePastTime)
    .option('--limit <n>', 'maximum number, counted from the newest', parsePositive, 100)
    .action(async ({ since, limit, ...search }: SearchOptions & { since?: string; limit: number }) => {
      const logs = await readLastLogs(cli.client, await logFilter(cli, search), limit, { signal: cli.io.signal, since })
      if (cli.output.isStructured) return cli.output.data(logs)
      if (logs.length === 0) return cli.output.note('No logs.')
      await new NamedLogs(cli).print(logs)
    })
  withExamples(
    list,
    ['log ls --level error --since 1d', 'errors since yesterday'],
    [`log ls --text '"connection refused" -retry'`, 'a phrase, without lines about retries'],
  )

  const tail = addSearchOptions(group.command('tail').summary('Follow the logs of all runs until Ctrl-C'))
    .option('--tail <n>', 'number of present logs to show first', parseCount, 10)
    .action(async ({ tail: count, ...search }: SearchOptions & { tail: number }) => {
      const { signal } = cli.io
      const filter = await logFilter(cli, search)
      const present = await readLastLogs(cli.client, filter, Math.max(count, windowSize), { signal })
      const named = new NamedLogs(cli)
      await named.print(count === 0 ? [] : present.slice(-count))
      const client = cli.createClient({ retry: patientRetry })
      // Logs before the window are present ones too.
      const since = present[0]?.timestamp
      for await (const logs of followLogs(client, filter, { signal, since, shown: present })) await named.print(logs)
    })
  withExamples(tail, ['log tail'], ['log tail --level warning'], ['log tail --tail 0 -o json', 'only new ones, one JSON object per line'])
}

async function logFilter(cli: Cli, { level, text, flowRun, taskRun }: SearchOptions): Promise<LogFilter> {
  const [flowRuns, taskRuns] = await Promise.all([
    flowRun && Promise.all(flowRun.map((reference) => resolveFlowRun(cli.client, reference))),
    taskRun && Promise.all(taskRun.map((reference) => resolveTaskRun(cli.client, reference))),
  ])
  return {
    ...(level !== undefined && { level: { ge_: level } }),
    ...(text && { text: { query: text } }),
    ...(flowRuns && { flow_run_id: { any_: flowRuns.map(({ id }) => id) } }),
    ...(taskRuns && { task_run_id: { any_: taskRuns.map(({ id }) => id) } }),
  }
}

/** Prints logs with the names of their flow runs. Each name is read once. */
class NamedLogs {
  readonly #cli: Cli
  readonly #names = new Map<string, string>()
  readonly #print: (logs: readonly Log[]) => Promise<void>

  constructor(cli: Cli) {
    this.#cli = cli
    const { style } = cli.output
    const nameOf = (id: string | null) => (id === null ? '-' : (this.#names.get(id) ?? id))
    this.#print = logPrinter(cli, (log) => formatLog(log, { timestamps: true, run: nameOf(log.flow_run_id) }, style))
  }

  async print(logs: readonly Log[]): Promise<void> {
    if (!this.#cli.output.isStructured) {
      const unknown = logs.flatMap(({ flow_run_id: id }) => (id !== null && !this.#names.has(id) ? [id] : []))
      const names = await readRunNames(this.#cli.client, unknown)
      // A run that was deleted has no name.
      for (const id of unknown) this.#names.set(id, names.get(id) ?? id)
    }
    await this.#print(logs)
  }
}
