import type { FlowSort } from '@millrace/contracts/flow.ts'
import type { FlowFilter } from '@millrace/contracts/flow-filter.ts'
import { type RawBuilder, sql } from 'kysely'
import { type Condition, combine, compare, compareTags } from '../../storage/criteria.ts'
import { col, type Dialect } from '../../storage/dialect.ts'
import { whereEmptyCriteria } from '../empty-criteria.ts'

export function flowWhere(dialect: Dialect, filter: FlowFilter): Condition {
  return combine(filter.operator, [
    ...whereEmptyCriteria(filter),
    ...compare(dialect, col('flow.id'), filter.id, 'uuid'),
    ...compare(dialect, col('flow.name'), filter.name),
    ...compareTags(dialect, col('flow.tags'), filter.tags),
    ...hasDeployment(filter.deployment?.is_null_),
  ])
}

function hasDeployment(isNull: boolean | null | undefined): Condition[] {
  if (isNull == null) return []
  const exists = sql<boolean>`exists (select 1 from deployment of_flow where of_flow.flow_id = flow.id)`
  return [isNull ? sql<boolean>`not ${exists}` : exists]
}

export const flowOrder: Readonly<Record<FlowSort, RawBuilder<unknown>>> = {
  CREATED_DESC: sql`flow.created desc, flow.id desc`,
  UPDATED_DESC: sql`flow.updated desc, flow.id desc`,
  NAME_ASC: sql`flow.name asc`,
  NAME_DESC: sql`flow.name desc`,
}
