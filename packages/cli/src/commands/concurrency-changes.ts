import { NotFoundError } from '@millrace/client/errors.ts'
import type { ConcurrencyLimitV2Update, GlobalConcurrencyLimitResponse } from '@millrace/contracts/global-concurrency-limit.ts'
import { type Command, InvalidArgumentError } from 'commander'
import type { Cli } from '../cli.ts'
import { CommandError, UsageError } from '../errors.ts'
import { withExamples } from '../examples.ts'
import { parseNewName } from '../name-argument.ts'
import { parseCount } from '../option-values.ts'
import { countsText, countText } from '../output/count-text.ts'
import { findLimit, limitArgument, tagOf } from './concurrency-reference.ts'

interface CreateOptions {
  readonly limit: number
  readonly decay?: number
  readonly disabled?: boolean
}

interface UpdateOptions {
  readonly limit?: number
  readonly decay?: number
  readonly name?: string
}

const decayOption = ['--decay <slots>', 'slots that return by themselves each second, for a rate limit; 0 for none', parseDecay] as const

export function concurrencyChangeCommands(group: Command, cli: Cli): void {
  const create = group
    .command('create')
    .summary('Create a concurrency limit')
    .description('Create a global concurrency limit, or with the name tag:NAME a limit for the task runs with this tag.')
    .argument('<name>', 'name of the new limit; tag:NAME for the limit of a tag', parseLimitName)
    .requiredOption('-l, --limit <n>', 'number of slots (required)', parseCount)
    .option(...decayOption)
    .option('--disabled', 'create the limit disabled')
    .action(async (name: string, options: CreateOptions) => {
      const limit = tagOf(name) === undefined ? await createGlobalLimit(cli, name, options) : await createTagLimit(cli, name, options)
      await cli.output.done(`Created concurrency limit "${name}" with ${countText(options.limit, 'slot')}.`, limit)
    })
  withExamples(
    create,
    ['concurrency create database --limit 10'],
    ['concurrency create mail --limit 100 --decay 1.5', 'a rate limit'],
    ['concurrency create tag:gpu --limit 2', 'for the task runs with the tag gpu'],
  )

  const change = async (reference: string, body: ConcurrencyLimitV2Update, message: (name: string) => string): Promise<void> => {
    const { id, name } = await findLimit(cli.client, reference)
    await cli.client.concurrencyLimits.update(id, body)
    await cli.output.done(message(name), await cli.client.concurrencyLimits.read(id))
  }

  const update = group
    .command('update')
    .summary('Change a concurrency limit')
    .description('Change a concurrency limit. What is not given stays as it is. Holders of slots keep them.')
    .argument(...limitArgument)
    .option('-l, --limit <n>', 'number of slots', parseCount)
    .option(...decayOption)
    .option('--name <name>', 'new name')
    .action(async (reference: string, { limit, decay, name: newName }: UpdateOptions) => {
      const body: ConcurrencyLimitV2Update = {
        ...(limit !== undefined && { limit }),
        ...(decay !== undefined && { slot_decay_per_second: decay }),
        ...(newName !== undefined && { name: newName }),
      }
      if (Object.keys(body).length === 0) throw new UsageError('Nothing to change. Give --limit, --decay or --name.')
      await change(reference, body, (name) => `Changed concurrency limit "${name}".`)
    })
  withExamples(update, ['concurrency update database --limit 20'])

  const enable = group
    .command('enable')
    .summary('Enable a concurrency limit')
    .description('Enable a concurrency limit: from now on its slots are counted.')
    .argument(...limitArgument)
    .action((reference: string) => change(reference, { active: true }, (name) => `Enabled concurrency limit "${name}".`))
  withExamples(enable, ['concurrency enable database'])

  const disable = group
    .command('disable')
    .summary('Disable a concurrency limit')
    .description('Disable a concurrency limit. Until it is enabled again it gives a slot to everyone; the limit of a deployment gives none.')
    .argument(...limitArgument)
    .action((reference: string) => change(reference, { active: false }, (name) => `Disabled concurrency limit "${name}".`))
  withExamples(disable, ['concurrency disable database'])

  const reset = group
    .command('reset')
    .summary('Free all slots of a concurrency limit')
    .description('Free all slots of a concurrency limit, also those of holders that still run. Use it when slots are held by nobody.')
    .argument(...limitArgument)
    .option('-y, --yes', 'do not ask')
    .action(async (reference: string, { yes }: { yes?: boolean }) => {
      const limit = await findLimit(cli.client, reference)
      await cli.confirm(
        `Free ${countText(limit.active_slots, 'slot')} of concurrency limit "${limit.name}"? Their holders go on without a slot.`,
        yes,
      )
      const tag = tagOf(limit.name)
      // The reset of a tag ends the leases of its task runs too.
      if (tag === undefined) await cli.client.concurrencyLimits.update(limit.id, { active_slots: 0 })
      else await cli.client.tagConcurrencyLimits.resetByTag(tag)
      const message = `Freed ${countText(limit.active_slots, 'slot')} of concurrency limit "${limit.name}".`
      await cli.output.done(message, await cli.client.concurrencyLimits.read(limit.id))
    })
  withExamples(reset, ['concurrency reset tag:gpu --yes'])

  const remove = group
    .command('delete')
    .summary('Delete a concurrency limit')
    .description('Delete a concurrency limit. What it limited is no longer limited.')
    .argument(...limitArgument)
    .option('-y, --yes', 'do not ask')
    .action(async (reference: string, { yes }: { yes?: boolean }) => {
      const limit = await findLimit(cli.client, reference)
      if (!yes) await cli.confirm(await describeDeletion(cli, limit), yes)
      const tag = tagOf(limit.name)
      if (tag === undefined) await cli.client.concurrencyLimits.delete(limit.id)
      else await cli.client.tagConcurrencyLimits.deleteByTag(tag)
      await cli.output.done(`Deleted concurrency limit "${limit.name}".`, limit)
    })
  withExamples(remove, ['concurrency delete database --yes'])
}

function createGlobalLimit({ client }: Cli, name: string, { limit, decay = 0, disabled = false }: CreateOptions) {
  return client.concurrencyLimits.create({ name, limit, slot_decay_per_second: decay, active: !disabled })
}

/** A tag may have characters that the name of a global limit cannot have. The operation for tags would change a limit that exists. */
async function createTagLimit({ client }: Cli, name: string, { limit, decay, disabled }: CreateOptions): Promise<GlobalConcurrencyLimitResponse> {
  const tag = tagOf(name) ?? ''
  const existing = await client.tagConcurrencyLimits.readByTag(tag).catch((error) => {
    if (error instanceof NotFoundError) return undefined
    throw error
  })
  if (existing) throw new CommandError(`A concurrency limit by the name ${name} already exists. Change it with \`millrace concurrency update\`.`)
  const { id } = await client.tagConcurrencyLimits.create({ tag, concurrency_limit: limit })
  const rest = { ...(decay !== undefined && { slot_decay_per_second: decay }), ...(disabled && { active: false }) }
  if (Object.keys(rest).length > 0) await client.concurrencyLimits.update(id, rest)
  return client.concurrencyLimits.read(id)
}

async function describeDeletion({ client }: Cli, { id, name }: GlobalConcurrencyLimitResponse): Promise<string> {
  const { holder_count, waiter_count } = await client.concurrencyLimits.listHolders(id)
  const affected = countsText([
    [holder_count, 'holder'],
    [waiter_count, 'waiter'],
  ])
  return `Delete concurrency limit "${name}"?${affected && ` It has ${affected}, which it will not limit any more.`}`
}

/** A tag can have any characters. */
function parseLimitName(text: string): string {
  const tag = tagOf(text)
  if (tag === undefined) return parseNewName(text)
  if (tag === '') throw new InvalidArgumentError('It does not name a tag.')
  return text
}

function parseDecay(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) throw new InvalidArgumentError('It is not a number of at least 0.')
  return value
}
