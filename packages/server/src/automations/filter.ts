import type { AutomationFilter, AutomationSort } from '@millrace/contracts/automation.ts'
import { type RawBuilder, sql } from 'kysely'
import { whereEmptyCriteria } from '../domains/empty-criteria.ts'
import { type Condition, combine, compare, compareTags } from '../storage/criteria.ts'
import { col, type Dialect } from '../storage/dialect.ts'

export function automationWhere(dialect: Dialect, filter: AutomationFilter | null): Condition {
  if (!filter) return sql<boolean>`1 = 1`
  return combine(filter.operator, [
    ...whereEmptyCriteria(filter),
    ...compare(dialect, col('automation.id'), filter.id, 'uuid'),
    ...compare(dialect, col('automation.name'), filter.name),
    ...compare(dialect, col('automation.created'), filter.created),
    ...compareTags(dialect, col('automation.tags'), filter.tags),
  ])
}

export const automationOrder: Readonly<Record<AutomationSort, RawBuilder<unknown>>> = {
  CREATED_DESC: sql`automation.created desc, automation.id desc`,
  UPDATED_DESC: sql`automation.updated desc, automation.id desc`,
  NAME_ASC: sql`automation.name asc, automation.id asc`,
  NAME_DESC: sql`automation.name desc, automation.id desc`,
}
