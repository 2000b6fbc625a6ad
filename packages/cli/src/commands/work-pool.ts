import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { withExamples } from '../examples.ts'
import { workPoolChangeCommands } from './work-pool-changes.ts'
import { previewCommand } from './work-pool-preview.ts'
import { findWorkPool } from './work-pool-reference.ts'
import { workPoolViewCommands } from './work-pool-view.ts'
import { readDefaultTemplate } from './worker-types.ts'

export function workPoolCommands(group: Command, cli: Cli): void {
  workPoolViewCommands(group, cli)
  workPoolChangeCommands(group, cli)

  const preview = previewCommand(group, cli, '<pool>', 'name of the pool', async (name) => ({ pool: await findWorkPool(cli.client, name) }))
  withExamples(preview, ['work-pool preview k8s'], ['work-pool preview k8s --within 1d', 'also the runs of the next day'])

  const template = group
    .command('get-default-base-job-template')
    .summary('Print the base job template of a type')
    .description('Print the base job template that a new work pool of a type gets. Change it and give it to `work-pool create`.')
    .requiredOption('-t, --type <type>', 'type of the pool, such as process, docker or kubernetes (required)')
    .action(async ({ type }: { type: string }) => cli.output.data(await readDefaultTemplate(cli.client, type)))
  withExamples(
    template,
    ['work-pool get-default-base-job-template --type kubernetes > template.json'],
    ['work-pool get-default-base-job-template --type docker -o yaml'],
  )
}
