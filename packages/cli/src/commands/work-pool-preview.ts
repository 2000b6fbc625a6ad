import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { parseCount } from '../option-values.ts'
import { ageColumn } from '../output/columns.ts'
import type { Column } from '../output/table.ts'
import { formatDuration } from '../output/time-text.ts'
import { parseDurationOption } from '../time-values.ts'
import { type PreviewedRun, type PreviewScope, previewRuns } from './preview-runs.ts'

const columns: readonly Column<PreviewedRun>[] = [
  ageColumn('SCHEDULED', ({ flow_run }) => flow_run.next_scheduled_start_time),
  { title: 'NAME', value: ({ flow_run }) => flow_run.name },
  { title: 'QUEUE', value: ({ work_queue_name }) => work_queue_name },
  {
    title: 'WAITS FOR',
    value: ({ waits_for }) => waits_for,
    style: ({ waits_for }) => (waits_for === 'worker' ? 'green' : waits_for === 'time' ? undefined : 'yellow'),
  },
  { title: 'ID', value: ({ flow_run }) => flow_run.id, isFixed: true, isWide: true },
]

const defaultWithinSeconds = 3600

interface PreviewOptions {
  readonly within?: number
  readonly limit: number
  readonly pool?: string
}

/** Adds the command `preview` to pools and queues. `resolve` finds what its argument names. */
export function previewCommand(
  group: Command,
  cli: Cli,
  argument: string,
  meaning: string,
  resolve: (name: string, pool: string | undefined) => Promise<PreviewScope>,
): Command {
  return group
    .command('preview')
    .summary('Show the runs that workers get next')
    .description('Show the scheduled runs in the order in which workers get them, and what each waits for. Nothing is delivered.')
    .argument(argument, meaning)
    .option('--within <duration>', 'how far to look ahead, such as 30m, 2h or 1d (default: 1h)', parseDurationOption)
    .option('--limit <n>', 'maximum number', parseCount, 50)
    .action(async (name: string, { within = defaultWithinSeconds, limit, pool }: PreviewOptions) => {
      const scope = await resolve(name, pool)
      const now = Date.now()
      const runs = await previewRuns(cli.client, scope, now, now + within * 1000, limit)
      await cli.output.list(runs, columns, `No runs are due within ${formatDuration(within)}.`)
      await noteMissingWorkers(cli, scope, runs)
    })
}

async function noteMissingWorkers(cli: Cli, { pool }: PreviewScope, runs: readonly PreviewedRun[]): Promise<void> {
  if (cli.output.isStructured || !runs.some(({ waits_for }) => waits_for === 'worker')) return
  const online = await cli.client.workers.list(pool.name, { workers: { status: { any_: ['ONLINE'] } }, limit: 1 })
  if (online.length === 0) cli.output.note(`No worker of work pool "${pool.name}" is online.`)
}
