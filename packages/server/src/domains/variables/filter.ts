import type { VariableFilter, VariableSort } from '@millrace/contracts/variable.ts'
import { type RawBuilder, sql } from 'kysely'
import { type Condition, combine, compare, compareTags } from '../../storage/criteria.ts'
import { col, type Dialect } from '../../storage/dialect.ts'
import { whereEmptyCriteria } from '../empty-criteria.ts'

export function variableWhere(dialect: Dialect, filter: VariableFilter | null): Condition {
  if (!filter) return combine('and_', [])
  return combine(filter.operator, [
    ...whereEmptyCriteria(filter),
    ...compare(dialect, col('variable.id'), filter.id, 'uuid'),
    ...compare(dialect, col('variable.name'), filter.name),
    ...compareTags(dialect, col('variable.tags'), filter.tags),
  ])
}

export const variableOrder: Readonly<Record<VariableSort, RawBuilder<unknown>>> = {
  CREATED_DESC: sql`variable.created desc, variable.id desc`,
  UPDATED_DESC: sql`variable.updated desc, variable.id desc`,
  NAME_DESC: sql`variable.name desc`,
  NAME_ASC: sql`variable.name asc`,
}
