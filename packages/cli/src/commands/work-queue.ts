import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { collectItems } from '../collect-items.ts'
import { withExamples } from '../examples.ts'
import { parseCount } from '../option-values.ts'
import { ageColumn, idColumn, nameColumn, timeColumn, wideIdColumn } from '../output/columns.ts'
import { printTableSection } from '../output/sections.ts'
import type { Column } from '../output/table.ts'
import { type QueueUsage, queueColumns, queueSlotColumns, queueStatusColumn, withUsage } from './queue-usage.ts'
import { listedRunsMax, slotHolderColumns, slotHolderTitle } from './slot-holders.ts'
import { previewCommand } from './work-pool-preview.ts'
import { findWorkPool } from './work-pool-reference.ts'
import { workQueueChangeCommands } from './work-queue-changes.ts'
import { findWorkQueue, poolOption, queueArgument } from './work-queue-reference.ts'

const poolColumn: Column<QueueUsage> = { title: 'POOL', value: ({ work_pool_name }) => work_pool_name }

const listColumns: readonly Column<QueueUsage>[] = [
  poolColumn,
  ...queueColumns,
  { title: 'DESCRIPTION', value: ({ description }) => description, isWide: true },
  wideIdColumn,
]

const fields: readonly Column<QueueUsage & { readonly late_runs_count: number }>[] = [
  nameColumn,
  poolColumn,
  { title: 'PRIORITY', value: ({ priority }) => priority },
  queueStatusColumn,
  ...queueSlotColumns,
  {
    title: 'LATE RUNS',
    value: ({ late_runs_count }) => late_runs_count,
    style: ({ late_runs_count }) => (late_runs_count > 0 ? 'yellow' : undefined),
  },
  { title: 'DESCRIPTION', value: ({ description }) => description },
  ageColumn('LAST POLLED', ({ last_polled }) => last_polled),
  timeColumn('CREATED', ({ created }) => created),
  timeColumn('UPDATED', ({ updated }) => updated),
  idColumn,
]

interface ListOptions {
  readonly pool?: string
  readonly name?: string
  readonly limit: number
}

export function workQueueCommands(group: Command, cli: Cli): void {
  const list = group
    .command('ls')
    .summary('List work queues')
    .description('List the work queues of all pools or of one, by priority: 1 is served first.')
    .option('-p, --pool <pool>', 'only queues of this pool')
    .option('--name <prefix>', 'only names that start with this text')
    .option('--limit <n>', 'maximum number', parseCount, 200)
    .action(async ({ pool, name, limit }: ListOptions) => {
      const filter = name === undefined ? {} : { work_queues: { name: { startswith_: [name] } } }
      if (pool !== undefined) await findWorkPool(cli.client, pool)
      const queues = await collectItems(cli, limit, (options) =>
        pool === undefined ? cli.client.workQueues.listAll(filter, options) : cli.client.workQueues.listAllInPool(pool, filter, options),
      )
      queues.sort((a, b) => compareText(a.work_pool_name ?? '', b.work_pool_name ?? '') || a.priority - b.priority)
      if (cli.output.isStructured) return cli.output.data(queues)
      await cli.output.list(await withUsage(cli.client, queues), listColumns, 'No work queues.')
    })
  withExamples(list, ['work-queue ls'], ['work-queue ls --pool k8s -o json'])

  const inspect = group
    .command('inspect')
    .summary('Show a work queue')
    .description('Show a work queue with its health and the runs that hold its slots.')
    .argument(...queueArgument)
    .option(...poolOption)
    .action(async (reference: string, { pool }: { pool?: string }) => {
      const queue = await findWorkQueue(cli.client, reference, pool)
      if (cli.output.isStructured) return cli.output.data(queue)
      const [health, status] = await Promise.all([
        cli.client.workQueues.status(queue.id),
        cli.client.workQueues.concurrencyStatus(queue.id, { limit: listedRunsMax }),
      ])
      const { late_runs_count } = health
      await cli.output.item({ ...queue, late_runs_count, slots_in_use: status.active_slots }, fields)
      const title = slotHolderTitle(status.flow_runs.length, status.active_slots)
      await printTableSection(cli.output, title, status.flow_runs, slotHolderColumns)
    })
  withExamples(inspect, ['work-queue inspect k8s/urgent'], ['work-queue inspect urgent --pool k8s -o yaml'])

  workQueueChangeCommands(group, cli)

  const preview = previewCommand(group, cli, ...queueArgument, async (reference, pool) => {
    const queue = await findWorkQueue(cli.client, reference, pool)
    return { pool: await findWorkPool(cli.client, queue.work_pool_name ?? ''), queueId: queue.id }
  }).option(...poolOption)
  withExamples(preview, ['work-queue preview k8s/urgent --within 30m'])
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
