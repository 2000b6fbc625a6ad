import type { WorkPoolUpdate } from '@millrace/contracts/work-pool.ts'
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { UsageError } from '../errors.ts'
import { withExamples } from '../examples.ts'
import { parseNewName } from '../name-argument.ts'
import { parseCount } from '../option-values.ts'
import { countsText, countText } from '../output/count-text.ts'
import { readInputObject } from '../read-input.ts'
import { findWorkPool } from './work-pool-reference.ts'
import { readDefaultTemplate } from './worker-types.ts'

interface CreateOptions {
  readonly type: string
  readonly baseJobTemplate?: string
  readonly limit?: number
  readonly paused?: boolean
  readonly description?: string
}

const otherTypeHint = ' A pool of another type needs --base-job-template.'

type UpdateOptions = Pick<CreateOptions, 'baseJobTemplate' | 'limit' | 'description'>

export function workPoolChangeCommands(group: Command, cli: Cli): void {
  const create = group
    .command('create')
    .summary('Create a work pool')
    .description('Create a work pool with its default queue. Without --base-job-template it gets the template of its type.')
    .argument('<name>', 'name of the new pool', parseNewName)
    .option('-t, --type <type>', 'type of the workers: process, docker, kubernetes or another one', 'process')
    .option('--base-job-template <file>', 'JSON or YAML file, - for stdin')
    .option('--limit <n>', 'maximum number of runs at a time', parseCount)
    .option('--paused', 'create the pool paused')
    .option('--description <text>', 'description')
    .action(async (name: string, { type, baseJobTemplate: file, limit, paused, description }: CreateOptions) => {
      const base_job_template = file === undefined ? await readDefaultTemplate(cli.client, type, otherTypeHint) : await readInputObject(cli.io, file)
      const pool = await cli.client.workPools.create({
        name,
        type,
        base_job_template,
        is_paused: paused ?? false,
        ...(limit !== undefined && { concurrency_limit: limit }),
        ...(description !== undefined && { description }),
      })
      await cli.output.done(`Created work pool "${name}" of type ${type}.`, pool)
    })
  withExamples(
    create,
    ['work-pool create local --type process'],
    ['work-pool create k8s --type kubernetes --base-job-template template.json --limit 20'],
  )

  const change = async (name: string, body: WorkPoolUpdate, message: string): Promise<void> => {
    await findWorkPool(cli.client, name)
    await cli.client.workPools.update(name, body)
    await cli.output.done(message, await cli.client.workPools.read(name))
  }

  const update = group
    .command('update')
    .summary('Change a work pool')
    .description('Change a work pool. What is not given stays as it is.')
    .argument('<pool>', 'name of the pool')
    .option('--base-job-template <file>', 'JSON or YAML file, - for stdin')
    .option('--limit <n>', 'maximum number of runs at a time', parseCount)
    .option('--description <text>', 'description')
    .action(async (name: string, { baseJobTemplate: file, limit, description }: UpdateOptions) => {
      const body: WorkPoolUpdate = {
        ...(file !== undefined && { base_job_template: await readInputObject(cli.io, file) }),
        ...(limit !== undefined && { concurrency_limit: limit }),
        ...(description !== undefined && { description }),
      }
      if (Object.keys(body).length === 0) throw new UsageError('Nothing to change. Give --base-job-template, --limit or --description.')
      await change(name, body, `Changed work pool "${name}".`)
    })
  withExamples(update, ['work-pool update k8s --description "The cluster in Frankfurt"'], ['work-pool update k8s --base-job-template template.yaml'])

  const pause = group
    .command('pause')
    .summary('Pause a work pool')
    .description('Pause a work pool: its workers get no more runs. Runs that have started go on.')
    .argument('<pool>', 'name of the pool')
    .action((name: string) => change(name, { is_paused: true }, `Paused work pool "${name}".`))
  withExamples(pause, ['work-pool pause k8s'])

  const resume = group
    .command('resume')
    .summary('Resume a work pool')
    .description('Resume a paused work pool. Its workers get the runs that are due.')
    .argument('<pool>', 'name of the pool')
    .action((name: string) => change(name, { is_paused: false }, `Resumed work pool "${name}".`))
  withExamples(resume, ['work-pool resume k8s'])

  const setLimit = group
    .command('set-limit')
    .alias('set-concurrency-limit')
    .summary('Limit the runs of a work pool')
    .description('Set the maximum number of runs of a work pool at a time.')
    .argument('<pool>', 'name of the pool')
    .argument('<limit>', 'maximum number of runs', parseCount)
    .action((name: string, limit: number) =>
      change(name, { concurrency_limit: limit }, `Limited work pool "${name}" to ${countText(limit, 'run')} at a time.`),
    )
  withExamples(setLimit, ['work-pool set-limit k8s 20'])

  const clearLimit = group
    .command('clear-limit')
    .alias('clear-concurrency-limit')
    .summary('Remove the limit of a work pool')
    .description('Remove the limit of a work pool. The limits of its queues stay.')
    .argument('<pool>', 'name of the pool')
    .action((name: string) => change(name, { concurrency_limit: null }, `Removed the limit of work pool "${name}".`))
  withExamples(clearLimit, ['work-pool clear-limit k8s'])

  const remove = group
    .command('delete')
    .summary('Delete a work pool')
    .description('Delete a work pool with its queues and workers. Its deployments and runs stay, but no worker gets their runs.')
    .argument('<pool>', 'name of the pool')
    .option('-y, --yes', 'do not ask')
    .action(async (name: string, { yes }: { yes?: boolean }) => {
      const pool = await findWorkPool(cli.client, name)
      if (!yes) await cli.confirm(await describeDeletion(cli, name), yes)
      await cli.client.workPools.delete(name)
      await cli.output.done(`Deleted work pool "${name}".`, pool)
    })
  withExamples(remove, ['work-pool delete k8s --yes'])
}

/** What is deleted, and what loses its pool. */
async function describeDeletion({ client }: Cli, name: string): Promise<string> {
  const work_pools = { name: { any_: [name] } }
  const [{ count: queues }, workers, deployments, scheduled] = await Promise.all([
    client.workPools.concurrencyStatus(name, { flow_run_limit: 0, limit: 0 }),
    Array.fromAsync(client.workers.listAll(name)),
    client.deployments.count({ work_pools }),
    client.flowRuns.count({ work_pools, flow_runs: { state: { type: { any_: ['SCHEDULED'] } } } }),
  ])
  const deleted = countsText([
    [queues, 'queue'],
    [workers.length, 'worker'],
  ])
  const kept = countsText([
    [deployments, 'deployment'],
    [scheduled, 'scheduled run'],
  ])
  return `Delete work pool "${name}" with ${deleted}?${kept && ` ${kept} will have no pool.`}`
}
