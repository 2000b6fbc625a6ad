import type { WorkQueueResponse, WorkQueueUpdate } from '@millrace/contracts/work-queue.ts'
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { UsageError } from '../errors.ts'
import { withExamples } from '../examples.ts'
import { newNameFault, parseNewName } from '../name-argument.ts'
import { parseCount, parsePositive } from '../option-values.ts'
import { countsText, countText } from '../output/count-text.ts'
import { findWorkPool } from './work-pool-reference.ts'
import { findWorkQueue, poolOption, queueArgument, splitQueueReference } from './work-queue-reference.ts'

interface CreateOptions {
  readonly pool?: string
  readonly priority?: number
  readonly limit?: number
  readonly paused?: boolean
  readonly description?: string
}

interface UpdateOptions extends Omit<CreateOptions, 'paused'> {
  readonly name?: string
}

interface PoolOption {
  readonly pool?: string
}

const fullName = ({ work_pool_name, name }: WorkQueueResponse): string => `"${name}" of work pool "${work_pool_name}"`

export function workQueueChangeCommands(group: Command, cli: Cli): void {
  const create = group
    .command('create')
    .summary('Create a work queue')
    .description('Create a work queue in a pool. Without --priority it gets the lowest free one; with it, other queues move down.')
    .argument('<queue>', 'POOL/QUEUE, or a name with --pool')
    .option(...poolOption)
    .option('--priority <n>', '1 is served first', parsePositive)
    .option('--limit <n>', 'maximum number of runs at a time', parseCount)
    .option('--paused', 'create the queue paused')
    .option('--description <text>', 'description')
    .action(async (reference: string, { pool: given, priority, limit, paused, description }: CreateOptions) => {
      const { pool, name } = splitQueueReference(reference, given)
      if (pool === undefined) throw new UsageError(`"${reference}" does not name a pool. Write POOL/QUEUE, or give --pool.`)
      const fault = newNameFault(name)
      if (fault !== undefined) throw new UsageError(`"${name}" is not the name of a queue. ${fault}`)
      await findWorkPool(cli.client, pool)
      const queue = await cli.client.workQueues.createInPool(pool, {
        name,
        is_paused: paused ?? false,
        ...(priority !== undefined && { priority }),
        ...(limit !== undefined && { concurrency_limit: limit }),
        ...(description !== undefined && { description }),
      })
      await cli.output.done(`Created work queue ${fullName(queue)} with priority ${queue.priority}.`, queue)
    })
  withExamples(create, ['work-queue create k8s/urgent --priority 1'], ['work-queue create batch --pool k8s --limit 5'])

  const change = async (reference: string, pool: string | undefined, body: WorkQueueUpdate, message: (name: string) => string): Promise<void> => {
    const queue = await findWorkQueue(cli.client, reference, pool)
    await cli.client.workQueues.update(queue.id, body)
    await cli.output.done(message(fullName(queue)), await cli.client.workQueues.read(queue.id))
  }

  const update = group
    .command('update')
    .summary('Change a work queue')
    .description('Change a work queue. What is not given stays as it is.')
    .argument(...queueArgument)
    .option(...poolOption)
    .option('--name <name>', 'new name', parseNewName)
    .option('--priority <n>', '1 is served first; the queue there moves down', parsePositive)
    .option('--limit <n>', 'maximum number of runs at a time', parseCount)
    .option('--description <text>', 'description')
    .action(async (reference: string, { pool, name, priority, limit, description }: UpdateOptions) => {
      const body: WorkQueueUpdate = {
        ...(name !== undefined && { name }),
        ...(priority !== undefined && { priority }),
        ...(limit !== undefined && { concurrency_limit: limit }),
        ...(description !== undefined && { description }),
      }
      if (Object.keys(body).length === 0) throw new UsageError('Nothing to change. Give --name, --priority, --limit or --description.')
      await change(reference, pool, body, (queue) => `Changed work queue ${queue}.`)
    })
  withExamples(update, ['work-queue update k8s/urgent --priority 1'], ['work-queue update k8s/urgent --name important'])

  const pause = group
    .command('pause')
    .summary('Pause a work queue')
    .description('Pause a work queue: workers get no more runs of it. Runs that have started go on.')
    .argument(...queueArgument)
    .option(...poolOption)
    .action((reference: string, { pool }: PoolOption) => change(reference, pool, { is_paused: true }, (queue) => `Paused work queue ${queue}.`))
  withExamples(pause, ['work-queue pause k8s/batch'])

  const resume = group
    .command('resume')
    .summary('Resume a work queue')
    .description('Resume a paused work queue. Workers get its runs that are due.')
    .argument(...queueArgument)
    .option(...poolOption)
    .action((reference: string, { pool }: PoolOption) => change(reference, pool, { is_paused: false }, (queue) => `Resumed work queue ${queue}.`))
  withExamples(resume, ['work-queue resume k8s/batch'])

  const setLimit = group
    .command('set-limit')
    .alias('set-concurrency-limit')
    .summary('Limit the runs of a work queue')
    .description('Set the maximum number of runs of a work queue at a time.')
    .argument(...queueArgument)
    .argument('<limit>', 'maximum number of runs', parseCount)
    .option(...poolOption)
    .action((reference: string, limit: number, { pool }: PoolOption) =>
      change(reference, pool, { concurrency_limit: limit }, (queue) => `Limited work queue ${queue} to ${countText(limit, 'run')} at a time.`),
    )
  withExamples(setLimit, ['work-queue set-limit k8s/batch 5'])

  const clearLimit = group
    .command('clear-limit')
    .alias('clear-concurrency-limit')
    .summary('Remove the limit of a work queue')
    .description('Remove the limit of a work queue. The limit of its pool stays.')
    .argument(...queueArgument)
    .option(...poolOption)
    .action((reference: string, { pool }: PoolOption) =>
      change(reference, pool, { concurrency_limit: null }, (queue) => `Removed the limit of work queue ${queue}.`),
    )
  withExamples(clearLimit, ['work-queue clear-limit k8s/batch'])

  const remove = group
    .command('delete')
    .summary('Delete a work queue')
    .description('Delete a work queue. Its deployments and runs stay, but no worker gets their runs. The default queue of a pool cannot be deleted.')
    .argument(...queueArgument)
    .option(...poolOption)
    .option('-y, --yes', 'do not ask')
    .action(async (reference: string, { pool, yes }: PoolOption & { yes?: boolean }) => {
      const queue = await findWorkQueue(cli.client, reference, pool)
      if (!yes) await cli.confirm(await describeDeletion(cli, queue), yes)
      await cli.client.workQueues.delete(queue.id)
      await cli.output.done(`Deleted work queue ${fullName(queue)}.`, queue)
    })
  withExamples(remove, ['work-queue delete k8s/batch --yes'])
}

/** What is deleted, and what loses its queue. */
async function describeDeletion({ client }: Cli, queue: WorkQueueResponse): Promise<string> {
  const work_pool_queues = { id: { any_: [queue.id] } }
  const [deployments, scheduled] = await Promise.all([
    client.deployments.count({ work_pool_queues }),
    client.flowRuns.count({ work_pool_queues, flow_runs: { state: { type: { any_: ['SCHEDULED'] } } } }),
  ])
  const kept = countsText([
    [deployments, 'deployment'],
    [scheduled, 'scheduled run'],
  ])
  return `Delete work queue ${fullName(queue)}?${kept && ` ${kept} will have no queue.`}`
}
