import { InvalidRequestError } from '@millrace/client/errors.ts'
import { parseJson } from '@millrace/client/json.ts'
import type { Event } from '@millrace/contracts/event.ts'
import { createIdGenerator } from '@millrace/server/lib/ids.ts'
import { systemRandom } from '@millrace/server/lib/random.ts'
import { systemClock } from '@millrace/server/lib/time.ts'
import { type Command, InvalidArgumentError } from 'commander'
import type { Cli } from '../cli.ts'
import { CommandError, UsageError } from '../errors.ts'
import { withExamples } from '../examples.ts'
import { readInputObject, requireObject } from '../read-input.ts'

interface EmitOptions {
  readonly resource: string
  readonly label?: readonly TextPair[]
  readonly related?: readonly TextPair[]
  readonly payload?: string
  readonly follows?: string
}

type TextPair = readonly [key: string, value: string]

export function emitCommand(group: Command, cli: Cli): void {
  const emit = group
    .command('emit')
    .summary('Emit an event')
    .description('Send an event to the server. Automations react to it as to any other.')
    .argument('<name>', 'name of the event, such as order.paid', parseText)
    .requiredOption('-r, --resource <id>', 'id of the resource that the event is about (required)', parseText)
    .option('--label <key=value>', 'label of the resource; can be repeated', collectTextPair)
    .option('--related <role=id>', 'related resource and its role; can be repeated', collectTextPair)
    .option('--payload <json>', 'JSON object, or @FILE (@- for stdin)')
    .option('--follows <id>', 'id of the event that this one follows')
    .action(async (name: string, options: EmitOptions) => {
      const event = await buildEvent(cli, name, options)
      await cli.client.events.create([event]).catch(throwWithoutIndex)
      await cli.output.done(`Emitted event "${name}" (${event.id}).`, event)
    })
  withExamples(
    emit,
    ['event emit order.paid --resource shop.order.17'],
    [`event emit order.paid --resource shop.order.17 --related customer=shop.customer.5 --payload '{"amount": 30}'`],
    ['event emit rows.loaded --resource s3://lake/rows --label region=eu --payload @rows.json'],
  )
}

async function buildEvent(cli: Cli, name: string, { resource, label = [], related = [], payload, follows }: EmitOptions): Promise<Event> {
  const newId = createIdGenerator(systemClock(), systemRandom())
  return {
    id: newId(),
    occurred: new Date().toISOString(),
    event: name,
    resource: { ...Object.fromEntries(label), 'prefect.resource.id': resource },
    related: related.map(([role, id]) => ({ 'prefect.resource.id': id, 'prefect.resource.role': role })),
    payload: payload === undefined ? {} : await readPayload(cli, payload),
    ...(follows !== undefined && { follows }),
  }
}

async function readPayload({ io }: Cli, text: string): Promise<Record<string, unknown>> {
  if (text.startsWith('@')) return readInputObject(io, text.slice(1))
  let value: unknown
  try {
    value = parseJson(text, true)
  } catch {
    throw new UsageError(`--payload: "${text}" is not JSON. Give a JSON object, or @FILE.`)
  }
  return requireObject(value, '--payload')
}

/** The request is a list of one event, so that the location of a fault begins with its index. */
function throwWithoutIndex(error: unknown): never {
  if (!(error instanceof InvalidRequestError)) throw error
  throw new CommandError(`${error.message.replaceAll(/(^|; )0\./g, '$1')} (request ${error.requestId})`)
}

function parseText(text: string): string {
  if (text === '') throw new InvalidArgumentError('It is empty.')
  return text
}

/** Labels and ids are texts, also if they look like numbers. */
function collectTextPair(text: string, collected: readonly TextPair[] = []): TextPair[] {
  const at = text.indexOf('=')
  if (at < 1 || at === text.length - 1) throw new InvalidArgumentError('It is not KEY=VALUE.')
  return [...collected, [text.slice(0, at), text.slice(at + 1)]]
}
