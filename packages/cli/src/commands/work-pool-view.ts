import type { MillraceClient } from '@millrace/client/client.ts'
import type { WorkPoolResponse } from '@millrace/contracts/work-pool.ts'
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { collectItems, mapWithRequests } from '../collect-items.ts'
import { withExamples } from '../examples.ts'
import { parseCount } from '../option-values.ts'
import { ageColumn, idColumn, nameColumn, timeColumn, wideIdColumn } from '../output/columns.ts'
import { printTableSection, printValueSection } from '../output/sections.ts'
import { slotColumns, statusColumn } from '../output/status-column.ts'
import type { Column } from '../output/table.ts'
import { queueColumns, readPoolQueues } from './queue-usage.ts'
import { listedRunsMax, slotHolderColumns, slotHolderTitle } from './slot-holders.ts'
import { findWorkPool } from './work-pool-reference.ts'
import { workerColumns } from './worker.ts'

/** A pool with what is counted for it. */
interface PoolUsage extends WorkPoolResponse {
  readonly slots_in_use: number
  readonly queue_count: number
  readonly workers_online: number
}

const poolStatus = ({ is_paused, status }: WorkPoolResponse): string | null => (is_paused ? 'PAUSED' : status)

const usageColumns = slotColumns<PoolUsage>(({ slots_in_use, concurrency_limit }) => ({ used: slots_in_use, limit: concurrency_limit }))

const listColumns: readonly Column<PoolUsage>[] = [
  { ...nameColumn, isFixed: true },
  { title: 'TYPE', value: ({ type }) => type },
  statusColumn(poolStatus),
  ...usageColumns,
  { title: 'QUEUES', value: ({ queue_count }) => queue_count, isNumber: true },
  { title: 'WORKERS', value: ({ workers_online }) => workers_online, isNumber: true },
  { title: 'DESCRIPTION', value: ({ description }) => description, isWide: true },
  { ...ageColumn('UPDATED', ({ updated }) => updated), isWide: true },
  wideIdColumn,
]

const fields: readonly Column<PoolUsage>[] = [
  nameColumn,
  { title: 'TYPE', value: ({ type }) => type },
  statusColumn(poolStatus),
  ...usageColumns,
  { title: 'WORKERS ONLINE', value: ({ workers_online }) => workers_online },
  { title: 'DESCRIPTION', value: ({ description }) => description },
  timeColumn('CREATED', ({ created }) => created),
  timeColumn('UPDATED', ({ updated }) => updated),
  idColumn,
]

const readUsage = async (client: MillraceClient, pool: WorkPoolResponse): Promise<PoolUsage> => {
  const [{ active_slots, count }, online] = await Promise.all([
    client.workPools.concurrencyStatus(pool.name, { flow_run_limit: 0, limit: 0 }),
    Array.fromAsync(client.workers.listAll(pool.name, { workers: { status: { any_: ['ONLINE'] } } })),
  ])
  return { ...pool, slots_in_use: active_slots, queue_count: count, workers_online: online.length }
}

export function workPoolViewCommands(group: Command, cli: Cli): void {
  const list = group
    .command('ls')
    .summary('List work pools')
    .description('List work pools with their slots in use, their queues and their workers that are online.')
    .option('-t, --type <type>', 'only pools of this type')
    .option('--limit <n>', 'maximum number', parseCount, 200)
    .action(async ({ type, limit }: { type?: string; limit: number }) => {
      const filter = type === undefined ? {} : { work_pools: { type: { any_: [type] } } }
      const pools = await collectItems(cli, limit, (options) => cli.client.workPools.listAll(filter, options))
      if (cli.output.isStructured) return cli.output.data(pools)
      await cli.output.list(await mapWithRequests(pools, (pool) => readUsage(cli.client, pool)), listColumns, 'No work pools.')
    })
  withExamples(list, ['work-pool ls'], ['work-pool ls --type kubernetes -o wide', 'with descriptions and ids'])

  const inspect = group
    .command('inspect')
    .summary('Show a work pool')
    .description('Show a work pool with its queues, its workers and the runs that hold its slots. With -o wide also its base job template.')
    .argument('<pool>', 'name of the pool')
    .action(async (name: string) => {
      const pool = await findWorkPool(cli.client, name)
      if (cli.output.isStructured) return cli.output.data(pool)
      const [usage, queues, workers, status] = await Promise.all([
        readUsage(cli.client, pool),
        readPoolQueues(cli.client, pool.name),
        Array.fromAsync(cli.client.workers.listAll(pool.name)),
        cli.client.workPools.concurrencyStatus(pool.name, { flow_run_limit: listedRunsMax }),
      ])
      const holders = status.queues.flatMap(({ flow_runs }) => flow_runs).slice(0, listedRunsMax)
      await cli.output.item(usage, fields)
      await printTableSection(cli.output, 'Queues', queues, queueColumns)
      await printTableSection(cli.output, 'Workers', workers, workerColumns)
      await printTableSection(cli.output, slotHolderTitle(holders.length, usage.slots_in_use), holders, slotHolderColumns)
      if (cli.output.format === 'wide') await printValueSection(cli.output, 'Base job template', pool.base_job_template)
    })
  withExamples(inspect, ['work-pool inspect k8s'], ['work-pool inspect k8s -o yaml', 'with the base job template'])
}
