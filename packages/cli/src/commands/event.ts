import type { ReceivedEvent } from '@millrace/contracts/event.ts'
import type { EventFilter } from '@millrace/contracts/event-filter.ts'
import { type Command, Option } from 'commander'
import type { Cli } from '../cli.ts'
import { UsageError } from '../errors.ts'
import { withExamples } from '../examples.ts'
import { itemNotFound } from '../find-item.ts'
import { parseCount, parsePositive } from '../option-values.ts'
import { printTableSection, printValueSection } from '../output/sections.ts'
import { escapeControlCharacters, toSingleLine } from '../output/text-width.ts'
import { isId } from '../resolve.ts'
import { parsePastTime } from '../time-values.ts'
import { eventStyle, fields, listColumns, otherLabels, relatedColumns, resourceId } from './event-columns.ts'
import { emitCommand } from './event-emit.ts'

interface FilterOptions {
  readonly name?: string[]
  readonly resource?: string[]
  readonly text?: string
}

interface ListOptions extends FilterOptions {
  readonly since?: string
  readonly until?: string
  readonly order: 'asc' | 'desc'
  readonly limit: number
}

interface TailOptions extends FilterOptions {
  readonly since?: string
  readonly limit?: number
}

/** Events of all times: the API's default leaves out older ones, and those of a clock that is ahead. */
const allTimes = { since: '1970-01-01T00:00:00Z', until: '9999-12-31T00:00:00Z' }

export function eventCommands(group: Command, cli: Cli): void {
  const list = withFilterOptions(group.command('ls'))
    .summary('List events')
    .description('List events, newest first. Without --since, the events of the last 180 days.')
    .option('--since <time>', 'only events since this time, or since this long ago, such as 2h', parsePastTime)
    .option('--until <time>', 'only events until this time, or until this long ago', parsePastTime)
    .addOption(new Option('--order <order>', 'desc: newest first').choices(['asc', 'desc']).default('desc'))
    .option('--limit <n>', 'maximum number', parseCount, 50)
    .action(async ({ since, until, order, limit, ...options }: ListOptions) => {
      const occurred = { ...(since !== undefined && { since }), ...(until !== undefined && { until }) }
      const filter: EventFilter = { ...toFilter(options), occurred, order: order === 'asc' ? 'ASC' : 'DESC' }
      const events = await Array.fromAsync(cli.client.events.listAll({ filter }, { max: limit }))
      await cli.output.list(events, listColumns, 'No events.')
    })
  withExamples(list, ['event ls --name prefect.flow-run --since 1h'], ['event ls --text "timeout -retry" -o json', 'with timeout, without retry'])

  const tail = withFilterOptions(group.command('tail'))
    .alias('stream')
    .summary('Follow events')
    .description('Print events as they arrive, until Ctrl-C, which ends with exit code 0. With -o json one event is one line.')
    .option('--since <time>', 'begin with the events since this time, or since this long ago, such as 5m', parsePastTime)
    .option('--limit <n>', 'end after this many events', parsePositive)
    .action(async ({ since, limit = Number.POSITIVE_INFINITY, ...options }: TailOptions) => {
      cli.isEndedByInterrupt = true
      let count = 0
      const filter = { ...toFilter(options), ...(since !== undefined && { occurred: { since } }) }
      for await (const event of cli.client.events.subscribe(filter, { signal: cli.io.signal })) {
        await printEvent(cli, event)
        count += 1
        if (count >= limit) return
      }
    })
  withExamples(
    tail,
    ['event tail --name prefect.flow-run.'],
    ['event tail --resource prefect.deployment.6f1e… -o json | jq .payload'],
    ['event tail --name order.paid --limit 1', 'wait for one event'],
  )

  const inspect = group
    .command('inspect')
    .summary('Show an event')
    .description('Show an event with its resources and its payload.')
    .argument('<id>', 'id of the event')
    .action(async (id: string) => {
      if (!isId(id)) throw new UsageError(`"${id}" is not the id of an event. \`millrace event ls -o wide\` shows ids.`)
      const { events } = await cli.client.events.listPage({ filter: { id: { id: [id] }, occurred: allTimes }, limit: 1 })
      const event = events[0]
      if (!event) throw itemNotFound({ noun: 'Event', name: id, list: 'event ls -o wide' })
      await cli.output.item(event, fields)
      if (cli.output.isStructured) return
      if (Object.keys(otherLabels(event.resource)).length > 0) await printValueSection(cli.output, 'Labels', otherLabels(event.resource))
      await printTableSection(cli.output, 'Related', event.related, relatedColumns)
      if (Object.keys(event.payload).length > 0) await printValueSection(cli.output, 'Payload', event.payload)
    })
  withExamples(inspect, ['event inspect 0199f0a1-7c3e-7a52-b1a4-2f0c5d0e9b11'])

  emitCommand(group, cli)
}

const withFilterOptions = (command: Command): Command =>
  command
    .option('--name <prefix...>', 'only events whose name starts with this text')
    .option('--resource <id...>', 'only events of this resource, also as a related one; ID* for a prefix')
    .option('--text <query>', 'only events that contain one of these words; -word excludes, +word requires, "…" is a phrase')

function toFilter({ name, resource, text }: FilterOptions): EventFilter {
  return {
    ...(name && { event: { prefix: name } }),
    ...(resource && { any_resource: resourceFilter(resource) }),
    ...(text !== undefined && { text: { query: text } }),
  }
}

function resourceFilter(references: readonly string[]) {
  const prefixes = references.filter((reference) => reference.endsWith('*'))
  const ids = references.filter((reference) => !reference.endsWith('*'))
  if (prefixes.length > 0 && ids.length > 0) throw new UsageError('Give either ids of resources or prefixes, not both.')
  return prefixes.length > 0 ? { id_prefix: prefixes.map((prefix) => prefix.slice(0, -1)) } : { id: ids }
}

/** One line, because a table cannot know the width of later events. */
async function printEvent({ output }: Cli, event: ReceivedEvent): Promise<void> {
  if (output.format === 'json') return output.text(escapeControlCharacters(JSON.stringify(event)))
  if (output.format === 'yaml') {
    const { toYaml } = await import('../output/yaml.ts')
    return output.text(`---\n${toYaml(event).trimEnd()}`)
  }
  const style = eventStyle(event.event)
  const name = toSingleLine(event.event)
  const resourceText = toSingleLine(describeResource(event))
  output.text(`${event.occurred}  ${style ? output.style(style, name) : name}  ${resourceText}${output.format === 'wide' ? `  ${event.id}` : ''}`)
}

function describeResource({ resource }: ReceivedEvent): string {
  const name = resource['prefect.resource.name']
  return name ? `${name} (${resourceId(resource)})` : resourceId(resource)
}
