import { ApiError } from '@millrace/client/errors.ts'
import type { Automation, AutomationCreate, AutomationUpdate } from '@millrace/contracts/automation.ts'
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { CommandError, UsageError } from '../errors.ts'
import { withExamples } from '../examples.ts'
import { isObject, readInputDocument, readInputObject, requireObject, sourceName } from '../read-input.ts'

type Find = (reference: string) => Promise<Automation>

const fileArgument = ['<file>', 'YAML or JSON file, - for stdin'] as const

export function automationChangeCommands(group: Command, cli: Cli, find: Find): void {
  const create = group
    .command('create')
    .summary('Create automations from a file')
    .description('Create the automation of a file, or several from a list. The output of `automation inspect -o yaml` is such a file.')
    .argument(...fileArgument)
    .action(async (file: string) => {
      const bodies = toList(await readInputDocument(cli.io, file), sourceName(file))
      for (const body of bodies) await checkActionTypes(body)
      const created = await createAll(cli, bodies)
      const lines = created.map(({ id, name }) => `Created automation "${name}" (${id}).`)
      await cli.output.done(lines.join('\n'), created.length === 1 ? created[0] : created)
    })
  withExamples(create, ['automation create notify.yaml'], ['automation create - --profile prod < notify.yaml', 'on another server'])

  const update = group
    .command('update')
    .summary('Change an automation from a file')
    .description('Change an automation. What the file does not have stays as it is. A change starts its trigger anew.')
    .argument('<automation>', 'name or id')
    .argument(...fileArgument)
    .action(async (reference: string, file: string) => {
      const changes = withoutServerFields(await readInputObject(cli.io, file))
      await checkActionTypes(changes)
      const { id, name, ...present } = await find(reference)
      const body = { name, ...withoutServerFields(present), ...changes } as unknown as AutomationUpdate
      await cli.client.automations.replace(id, body)
      await cli.output.done(`Changed automation "${name}".`, await cli.client.automations.read(id))
    })
  withExamples(update, ['automation update "Notify on failure" notify.yaml'])

  const setEnabled = async (reference: string, enabled: boolean): Promise<void> => {
    const { id, name } = await find(reference)
    await cli.client.automations.update(id, { enabled })
    await cli.output.done(`${enabled ? 'Resumed' : 'Paused'} automation "${name}".`, await cli.client.automations.read(id))
  }

  const pause = group
    .command('pause')
    .alias('disable')
    .summary('Pause an automation')
    .description('Pause an automation: its trigger is not evaluated. Events of this time do not count later either.')
    .argument('<automation>', 'name or id')
    .action((reference: string) => setEnabled(reference, false))
  withExamples(pause, ['automation pause "Notify on failure"'])

  const resume = group
    .command('resume')
    .alias('enable')
    .summary('Resume an automation')
    .description('Resume an automation that is paused, or that is suspended because it fired too often.')
    .argument('<automation>', 'name or id')
    .action((reference: string) => setEnabled(reference, true))
  withExamples(resume, ['automation resume "Notify on failure"'])

  const remove = group
    .command('delete')
    .summary('Delete an automation')
    .description('Delete an automation with what its trigger has counted.')
    .argument('<automation>', 'name or id')
    .option('-y, --yes', 'do not ask')
    .action(async (reference: string, { yes }: { yes?: boolean }) => {
      const automation = await find(reference)
      await cli.confirm(`Delete automation "${automation.name}"?`, yes)
      await cli.client.automations.delete(automation.id)
      await cli.output.done(`Deleted automation "${automation.name}".`, automation)
    })
  withExamples(remove, ['automation delete "Notify on failure" --yes'])
}

/** One automation, a list, or a list below `automations`, as existing command lines write it. */
function toList(document: unknown, source: string): Record<string, unknown>[] {
  const list = isObject(document) && Array.isArray(document.automations) ? document.automations : document
  return (Array.isArray(list) ? list : [list]).map((item) => withoutServerFields(requireObject(item, source)))
}

/** Without the fields that the server sets, which `inspect` shows. */
const withoutServerFields = ({ id: _id, created: _created, updated: _updated, ...fields }: Record<string, unknown>): Record<string, unknown> => fields

/** Names the types of actions. The server's error names only the first one. */
async function checkActionTypes(body: Readonly<Record<string, unknown>>): Promise<void> {
  const { Action } = await import('@millrace/contracts/action.ts')
  const known: unknown[] = Action.anyOf.map(({ properties }) => properties.type.default)
  for (const list of ['actions', 'actions_on_trigger', 'actions_on_resolve']) {
    const actions = Array.isArray(body[list]) ? body[list] : []
    const index = actions.findIndex((action) => isObject(action) && action.type !== undefined && !known.includes(action.type))
    if (index >= 0) throw new UsageError(`${list}.${index}.type: "${actions[index].type}" is not a type of action. Types: ${known.join(', ')}.`)
  }
}

/** Creates automations one after the other. The error of one names it, and those that were created before stay. */
async function createAll(cli: Cli, bodies: readonly Record<string, unknown>[]): Promise<Automation[]> {
  const created: Automation[] = []
  for (const body of bodies) {
    try {
      created.push(await cli.client.automations.create(body as unknown as AutomationCreate))
    } catch (error) {
      if (created.length > 0) cli.output.note(`Created before the error: ${created.map(({ name }) => `"${name}"`).join(', ')}.`)
      if (bodies.length === 1 || !(error instanceof ApiError)) throw error
      throw new CommandError(`Automation ${typeof body.name === 'string' ? `"${body.name}"` : 'without a name'}: ${error.message}`)
    }
  }
  return created
}
