import type { MillraceClient } from '@millrace/client/client.ts'
import type { WorkerResponse, WorkerStatus } from '@millrace/contracts/worker.ts'
import { type Command, Option } from 'commander'
import type { Cli } from '../cli.ts'
import { mapWithRequests } from '../collect-items.ts'
import { withExamples } from '../examples.ts'
import { ambiguousItem, itemNotFound } from '../find-item.ts'
import { ageColumn, nameColumn, wideIdColumn } from '../output/columns.ts'
import { statusColumn } from '../output/status-column.ts'
import type { Column } from '../output/table.ts'
import { formatDuration } from '../output/time-text.ts'
import { findWorkPool } from './work-pool-reference.ts'

interface PoolWorker extends WorkerResponse {
  readonly work_pool_name: string
}

export const workerColumns: readonly Column<WorkerResponse>[] = [
  nameColumn,
  statusColumn(({ status }) => status),
  ageColumn('LAST HEARTBEAT', ({ last_heartbeat_time }) => last_heartbeat_time),
]

const [name, ...others] = workerColumns

const listColumns: readonly Column<PoolWorker>[] = [
  name as Column<PoolWorker>,
  { title: 'POOL', value: ({ work_pool_name }) => work_pool_name },
  ...others,
  {
    title: 'INTERVAL',
    value: ({ heartbeat_interval_seconds: seconds }) => (seconds === null ? null : formatDuration(seconds)),
    isWide: true,
  },
  wideIdColumn,
]

/** Workers of one pool or of all, with the name of the pool, which the API leaves out. */
async function listWorkers(client: MillraceClient, pool: string | undefined, status?: WorkerStatus): Promise<PoolWorker[]> {
  const pools = pool === undefined ? await Array.fromAsync(client.workPools.listAll()) : [await findWorkPool(client, pool)]
  const filter = status === undefined ? {} : { workers: { status: { any_: [status] } } }
  const workers = await mapWithRequests(pools, async ({ name: work_pool_name }) => {
    const ofPool = await Array.fromAsync(client.workers.listAll(work_pool_name, filter))
    return ofPool.map((worker) => ({ ...worker, work_pool_name }))
  })
  return workers.flat()
}

export function workerCommands(group: Command, cli: Cli): void {
  const list = group
    .command('ls')
    .summary('List workers')
    .description('List the workers of all pools or of one, with their last heartbeat.')
    .option('-p, --pool <pool>', 'only workers of this pool')
    .addOption(new Option('--status <status>', 'only workers with this status').choices(['online', 'offline']))
    .action(async ({ pool, status }: { pool?: string; status?: string }) => {
      const workers = await listWorkers(cli.client, pool, status?.toUpperCase() as WorkerStatus | undefined)
      await cli.output.list(workers, listColumns, 'No workers.')
    })
  withExamples(list, ['worker ls'], ['worker ls --pool k8s --status online'])

  const remove = group
    .command('delete')
    .summary('Delete a worker')
    .description('Delete a worker, for example one that will not come back. A worker that still runs appears again with its next heartbeat.')
    .argument('<worker>', 'name of the worker')
    .option('-p, --pool <pool>', 'pool of the worker')
    .option('-y, --yes', 'do not ask')
    .action(async (worker: string, { pool, yes }: { pool?: string; yes?: boolean }) => {
      const found = await findWorker(cli.client, worker, pool)
      const text = `worker "${found.name}" of work pool "${found.work_pool_name}"`
      await cli.confirm(`Delete ${text}?`, yes)
      await cli.client.workers.delete(found.work_pool_name, found.name)
      await cli.output.done(`Deleted ${text}.`, found)
    })
  withExamples(remove, ['worker delete "worker-7" --pool k8s --yes'])
}

async function findWorker(client: MillraceClient, reference: string, pool: string | undefined): Promise<PoolWorker> {
  const [worker, ...namesakes] = (await listWorkers(client, pool)).filter((each) => each.name === reference)
  const item = { noun: 'Worker', name: reference, list: pool === undefined ? 'worker ls' : `worker ls --pool ${pool}` }
  if (!worker) throw itemNotFound(item)
  if (namesakes.length === 0) return worker
  const choices = [worker, ...namesakes].map(({ work_pool_name }) => `--pool ${work_pool_name}`)
  throw ambiguousItem(item, choices, 'Name the pool:')
}
