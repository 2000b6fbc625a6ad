import Type, { type Static } from 'typebox'
import { Action } from './action.ts'
import { byId, byTags, byText, operatorField } from './filter.ts'
import { limit, offset } from './paging.ts'
import {
  defaulted,
  entityFields,
  model,
  Name,
  namedEnum,
  nullable,
  orNull,
  parameters,
  publishedDefault,
  response,
  Tags,
  Text,
  Time,
  Uuid,
} from './primitives.ts'
import { AnsweredTrigger, Trigger } from './trigger.ts'

const actions = Type.Array(Action)
const answeredActions = Type.Unsafe<Action[]>(actions)

export const Automation = response('Automation', {
  name: Text,
  description: Text,
  enabled: Type.Boolean(),
  tags: Tags,
  trigger: AnsweredTrigger,
  actions: answeredActions,
  actions_on_trigger: answeredActions,
  actions_on_resolve: answeredActions,
  ...entityFields,
})
export type Automation = Static<typeof Automation>

/** `reason` is why the last evaluation did not fire, or why the automation is not evaluated; null when it fired. */
export const AutomationStatus = response('AutomationStatus', {
  automation_id: Uuid,
  enabled: Type.Boolean(),
  last_evaluated: nullable(Time),
  last_fired: nullable(Time),
  reason: nullable(Text),
  /** Set while the automation is suspended because it fired too often. */
  suspended: nullable(Type.Object({ since: Time, until: Time, reason: Text })),
  /** The open counting periods of its triggers. */
  open_periods: Type.Integer(),
  /** Pending actions. */
  waiting_actions: Type.Integer(),
})
export type AutomationStatus = Static<typeof AutomationStatus>

/** An automation that fired too often; it resumes by itself at `until`. */
export const SuspendedAutomation = response('SuspendedAutomation', { automation_id: Uuid, name: Text, since: Time, until: Time, reason: Text })
export type SuspendedAutomation = Static<typeof SuspendedAutomation>

export const AutomationCreate = model('AutomationCreate', {
  name: Name,
  description: defaulted(Text, ''),
  enabled: defaulted(Type.Boolean(), true),
  tags: defaulted(Tags, []),
  trigger: Trigger,
  actions,
  actions_on_trigger: defaulted(actions, []),
  actions_on_resolve: defaulted(actions, []),
  owner_resource: orNull(Text),
})
export type AutomationCreate = Static<typeof AutomationCreate>

/** Omitted optional fields keep their values, although the request is a PUT. */
export const AutomationUpdate = model('AutomationUpdate', {
  name: Name,
  description: publishedDefault(Text, ''),
  enabled: publishedDefault(Type.Boolean(), true),
  tags: Type.Optional(Tags),
  trigger: Trigger,
  actions,
  actions_on_trigger: Type.Optional(actions),
  actions_on_resolve: Type.Optional(actions),
})
export type AutomationUpdate = Static<typeof AutomationUpdate>

export const AutomationPartialUpdate = model('AutomationPartialUpdate', { enabled: publishedDefault(Type.Boolean(), true) })
export type AutomationPartialUpdate = Static<typeof AutomationPartialUpdate>

export const AutomationFilterId = model('AutomationFilterId', byId)
export const AutomationFilterName = model('AutomationFilterName', byText)
export const AutomationFilterCreated = model('AutomationFilterCreated', { before_: orNull(Time) })
export const AutomationFilterTags = model('AutomationFilterTags', byTags)

export const AutomationFilter = model('AutomationFilter', {
  ...operatorField,
  id: orNull(AutomationFilterId),
  name: orNull(AutomationFilterName),
  created: orNull(AutomationFilterCreated),
  tags: orNull(AutomationFilterTags),
})
export type AutomationFilter = Static<typeof AutomationFilter>

export const AutomationSort = namedEnum('AutomationSort', 'CREATED_DESC', 'UPDATED_DESC', 'NAME_ASC', 'NAME_DESC')
export type AutomationSort = Static<typeof AutomationSort>

export const AutomationsCountBody = parameters({ automations: orNull(AutomationFilter) })
export type AutomationsCountBody = Static<typeof AutomationsCountBody>
export const AutomationsFilterBody = parameters({
  sort: defaulted(AutomationSort, 'NAME_ASC'),
  offset,
  automations: orNull(AutomationFilter),
  limit,
})
export type AutomationsFilterBody = Static<typeof AutomationsFilterBody>

/** The body of a template check is the template itself. */
export const TemplateBody = Type.String({ default: '' })
export type TemplateBody = Static<typeof TemplateBody>
