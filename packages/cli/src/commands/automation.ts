import type { MillraceClient } from '@millrace/client/client.ts'
import { describeTrigger } from '@millrace/client/vocabulary/describe-trigger.ts'
import type { Automation, AutomationStatus } from '@millrace/contracts/automation.ts'
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { collectItems } from '../collect-items.ts'
import { withExamples } from '../examples.ts'
import { ambiguousItem, findItem, itemNotFound } from '../find-item.ts'
import { parseCount } from '../option-values.ts'
import { ageColumn, nameColumn, tagsColumn, timeColumn, wideIdColumn } from '../output/columns.ts'
import { printValueSection } from '../output/sections.ts'
import { statusColumn } from '../output/status-column.ts'
import type { Column } from '../output/table.ts'
import { formatAge } from '../output/time-text.ts'
import { isId } from '../resolve.ts'
import { automationChangeCommands } from './automation-changes.ts'
import { describeActions, triggerLine } from './describe-automation.ts'

interface ListedAutomation extends Automation {
  readonly is_suspended: boolean
}

const listColumns: readonly Column<ListedAutomation>[] = [
  nameColumn,
  statusColumn(({ enabled, is_suspended }) => automationStatus(enabled, is_suspended)),
  { title: 'TRIGGER', value: ({ trigger }) => triggerLine(describeTrigger(trigger)) },
  { title: 'ACTIONS', value: ({ actions }) => describeActions(actions) },
  { ...tagsColumn, isWide: true },
  { ...ageColumn('UPDATED', ({ updated }) => updated), isWide: true },
  wideIdColumn,
]

interface InspectedAutomation {
  readonly automation: Automation
  readonly status: AutomationStatus
}

const inspectFields: readonly Column<InspectedAutomation>[] = [
  { title: 'NAME', value: ({ automation }) => automation.name },
  statusColumn(({ status }) => automationStatus(status.enabled, status.suspended !== null)),
  { title: 'DESCRIPTION', value: ({ automation }) => automation.description },
  { title: 'TAGS', value: ({ automation }) => automation.tags.join(', ') },
  { title: 'LAST FIRED', value: ({ status }) => timeAndAge(status.last_fired) },
  timeColumn('CREATED', ({ automation }) => automation.created),
  timeColumn('UPDATED', ({ automation }) => automation.updated),
  { title: 'ID', value: ({ automation }) => automation.id },
]

const statusFields: readonly Column<AutomationStatus & { readonly name: string }>[] = [
  nameColumn,
  statusColumn(({ enabled, suspended }) => automationStatus(enabled, suspended !== null)),
  { title: 'LAST EVALUATED', value: ({ last_evaluated }) => timeAndAge(last_evaluated) },
  { title: 'LAST FIRED', value: ({ last_fired }) => timeAndAge(last_fired) },
  { title: 'WHY NOT', value: ({ reason }) => reason },
  { title: 'SUSPENDED UNTIL', value: ({ suspended }) => suspended && timeAndAge(suspended.until) },
  { title: 'OPEN PERIODS', value: ({ open_periods }) => open_periods },
  { title: 'WAITING ACTIONS', value: ({ waiting_actions }) => waiting_actions },
  { title: 'ID', value: ({ automation_id }) => automation_id },
]

const automationStatus = (enabled: boolean, isSuspended: boolean): string => (!enabled ? 'PAUSED' : isSuspended ? 'SUSPENDED' : 'ENABLED')

const timeAndAge = (time: string | null): string => (time === null ? 'never' : `${time} (${formatAge(time, Date.now())})`)

/** An automation by id or name. Names are not unique. */
async function findAutomation(client: MillraceClient, reference: string): Promise<Automation> {
  const item = { noun: 'Automation', name: reference, list: 'automation ls' }
  if (isId(reference)) return findItem(item, () => client.automations.read(reference))
  const [automation, ...namesakes] = await client.automations.list({ automations: { name: { any_: [reference] } } })
  if (!automation) throw itemNotFound(item)
  if (namesakes.length === 0) return automation
  const choices = [automation, ...namesakes].map(({ id }) => id)
  throw ambiguousItem(item, choices, 'Use an id:')
}

export function automationCommands(group: Command, cli: Cli): void {
  const list = group
    .command('ls')
    .summary('List automations')
    .description('List automations with their triggers and actions.')
    .option('--tag <tag...>', 'only automations with all these tags')
    .option('--limit <n>', 'maximum number', parseCount, 200)
    .action(async ({ tag, limit }: { tag?: string[]; limit: number }) => {
      const filter = tag ? { automations: { tags: { all_: tag } } } : {}
      const automations = await collectItems(cli, limit, (options) => cli.client.automations.listAll(filter, options))
      if (cli.output.isStructured) return cli.output.data(automations)
      const suspended = new Set((await cli.client.automations.listSuspended()).map(({ automation_id }) => automation_id))
      const rows = automations.map((automation) => ({ ...automation, is_suspended: suspended.has(automation.id) }))
      await cli.output.list(rows, listColumns, 'No automations.')
    })
  withExamples(list, ['automation ls'], ['automation ls --tag prod -o wide', 'with tags and ids'])

  const inspect = group
    .command('inspect')
    .summary('Show an automation')
    .description('Show an automation with its trigger and actions. The output of -o yaml is an input for `automation create`.')
    .argument('<automation>', 'name or id')
    .action(async (reference: string) => {
      const automation = await findAutomation(cli.client, reference)
      if (cli.output.isStructured) return cli.output.data(automation)
      await cli.output.item({ automation, status: await cli.client.automations.status(automation.id) }, inspectFields)
      await printValueSection(cli.output, 'Trigger', automation.trigger)
      const lists = {
        Actions: automation.actions,
        'Actions on trigger': automation.actions_on_trigger,
        'Actions on resolve': automation.actions_on_resolve,
      }
      for (const [title, actions] of Object.entries(lists)) if (actions.length > 0) await printValueSection(cli.output, title, actions)
    })
  withExamples(inspect, ['automation inspect "Notify on failure"'], ['automation inspect "Notify on failure" -o yaml > notify.yaml'])

  const status = group
    .command('status')
    .summary('Show why an automation fired or not')
    .description('Show when an automation was last evaluated and last fired, and why the last evaluation did not fire it.')
    .argument('<automation>', 'name or id')
    .action(async (reference: string) => {
      const { id, name } = await findAutomation(cli.client, reference)
      await cli.output.item({ ...(await cli.client.automations.status(id)), name }, statusFields)
    })
  withExamples(status, ['automation status "Notify on failure"'])

  automationChangeCommands(group, cli, (reference) => findAutomation(cli.client, reference))
}
