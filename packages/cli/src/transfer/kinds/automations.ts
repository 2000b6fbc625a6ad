import type { Automation, AutomationCreate, AutomationUpdate } from '@millrace/contracts/automation.ts'
import { loadBlockNames } from '../block-references.ts'
import { flag, list, object, optional, required, text, toCanonical, valueOr } from '../field-spec.ts'
import { groupByDependency } from '../group-by-dependency.ts'
import type { Item } from '../json-value.ts'
import type { FollowUp, Kind } from '../kind.ts'
import type { ServerState } from '../server-state.ts'
import { actionSpec, namedAutomations, targetKinds, toActionBody, toActionItem } from './actions.ts'
import { resourceKinds, toTriggerBody, toTriggerItem, triggerSpec } from './triggers.ts'

const actionKeys = ['actions', 'actions_on_trigger', 'actions_on_resolve'] as const

const spec = object({
  name: required(text({ isEmptyAllowed: false })),
  description: optional(text(), ''),
  enabled: optional(flag, true),
  tags: optional(list(text()), []),
  trigger: required(triggerSpec),
  actions: optional(list(actionSpec), []),
  actions_on_trigger: optional(list(actionSpec), []),
  actions_on_resolve: optional(list(actionSpec), []),
})

const nameOf = ({ name }: Item): string => name as string

export const automations: Kind = {
  key: 'automations',
  noun: 'automation',
  spec,
  nameKeys: ['name'],
  allowsDuplicates: true,
  nameOf,
  async read(server) {
    const found = await server.list('automation')
    const actions = found.flatMap((each) => actionKeys.flatMap((key) => each[key] as readonly unknown[] as readonly Item[]))
    await server.loadNames([...resourceKinds(found.map(({ trigger }) => trigger)), ...targetKinds(actions), 'automation'])
    await loadBlockNames(server, actions)
    return found.map((each) => ({ id: each.id, name: each.name, item: toItem(server, each) }))
  },
  groupByDependency: (items) => groupByDependency(items, nameOf, (item) => actionKeys.flatMap((key) => namedAutomations(item[key]))),
  async create(server, item) {
    const later = actionKeys.flatMap((key) => namedAutomations(item[key])).filter((name) => !server.has('automation', name))
    if (later.length === 0) {
      await createAutomation(server, item)
      return undefined
    }
    // It names itself, or an automation that names it. It gets its actions when both exist.
    const id = await createAutomation(server, { name: item.name, enabled: false, trigger: item.trigger, actions: [] })
    return () => replaceAutomation(server, id, item)
  },
  async update(server, { id }, item, changed) {
    if (changed.size === 1 && changed.has('enabled')) {
      // Keeps what the trigger has counted so far.
      await server.client.automations.update(id, { enabled: valueOr(item, 'enabled', true) }, server.options)
      return undefined
    }
    return updateLater(server, id, item)
  },
  async remove(server, { id }) {
    await server.client.automations.delete(id, server.options)
  },
}

async function updateLater(server: ServerState, id: string, item: Item): Promise<FollowUp | undefined> {
  const names = actionKeys.flatMap((key) => namedAutomations(item[key]))
  if (names.some((name) => !server.has('automation', name))) return () => replaceAutomation(server, id, item)
  await replaceAutomation(server, id, item)
  return undefined
}

async function createAutomation(server: ServerState, item: Item): Promise<string> {
  const { id, name } = await server.client.automations.create(toBody(server, item) as AutomationCreate, server.options)
  server.add('automation', name, id)
  return id
}

/** All fields are sent: the server keeps omitted ones. */
const replaceAutomation = (server: ServerState, id: string, item: Item): Promise<void> =>
  server.client.automations.replace(id, toBody(server, item) as AutomationUpdate, server.options)

function toBody(server: ServerState, item: Item): Item {
  const actions = actionKeys.map((key) => [key, ((item[key] ?? []) as Item[]).map((action) => toActionBody(server, action))])
  const { name, description = '', enabled = true, tags = [] } = item
  return { name, description, enabled, tags, trigger: toTriggerBody(server, item.trigger as Item), ...Object.fromEntries(actions) }
}

function toItem(server: ServerState, each: Automation): Item {
  const actions = actionKeys.map((key) => [key, (each[key] as readonly unknown[] as readonly Item[]).map((action) => toActionItem(server, action))])
  const { name, description, enabled, tags } = each
  const trigger = toTriggerItem(server, each.trigger as unknown as Item)
  return toCanonical(spec, { name, description, enabled, tags, trigger, ...Object.fromEntries(actions) })
}
