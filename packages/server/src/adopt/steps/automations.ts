import { baseColumns, bool, json, text, uuid } from '../columns.ts'
import type { Step } from '../step.ts'

const automations: Step = {
  name: 'automation',
  noun: 'automations',
  from: 'automation',
  to: 'automation',
  columns: {
    ...baseColumns,
    name: text(),
    description: text(''),
    enabled: bool(true),
    tags: json('[]'),
    trigger: json(),
    actions: json('[]'),
    actions_on_trigger: json('[]'),
    actions_on_resolve: json('[]'),
  },
  async write({ startedAt }, tx, rows) {
    // Ignores earlier events: the other server has acted on them.
    await tx.insert(
      'automation',
      rows.map((row) => ({ ...row, active_since: startedAt })),
    )
  },
}

const resources: Step = {
  name: 'automation_related_resource',
  noun: 'automation resources',
  from: 'automation_related_resource',
  to: 'automation_resource',
  requiredReferences: { automation_id: 'automation' },
  skipRules: [{ where: 'automation_related_resource.resource_id is null', reason: 'no resource id' }],
  ignoredColumns: ['id', 'created', 'updated'],
  columns: { automation_id: uuid(), resource_id: text(), owned: bool(false, 'automation_owned_by_resource') },
}

export const automationSteps: readonly Step[] = [automations, resources]
