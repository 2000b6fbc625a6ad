import type { DeploymentSort } from '@millrace/contracts/deployment.ts'
import type { DeploymentFilter } from '@millrace/contracts/deployment-filter.ts'
import { type RawBuilder, sql } from 'kysely'
import { type Condition, combine, compare, compareTags } from '../../storage/criteria.ts'
import { col, type Dialect, likePattern } from '../../storage/dialect.ts'
import { whereEmptyCriteria } from '../empty-criteria.ts'

/** The deprecated filter on `concurrency_limit` is ignored. */
export function deploymentWhere(dialect: Dialect, filter: DeploymentFilter): Condition {
  return combine(filter.operator, [
    ...whereEmptyCriteria(filter, 'concurrency_limit'),
    ...compare(dialect, col('deployment.id'), filter.id, 'uuid'),
    ...compare(dialect, col('deployment.name'), filter.name),
    ...nameConditions(dialect, filter.flow_or_deployment_name?.like_),
    ...compare(dialect, col('deployment.paused'), filter.paused),
    ...compareTags(dialect, col('deployment.tags'), filter.tags),
    ...compare(dialect, col('deployment.work_queue_name'), filter.work_queue_name),
  ])
}

function nameConditions(dialect: Dialect, part: string | null | undefined): Condition[] {
  if (!part) return []
  const flow = sql<boolean>`exists (select 1 from flow named where named.id = deployment.flow_id and ${dialect.isLike(col('named.name'), likePattern(part))})`
  return [combine('or_', [dialect.isLike(col('deployment.name'), likePattern(part)), flow])]
}

export const deploymentOrder: Readonly<Record<DeploymentSort, RawBuilder<unknown>>> = {
  CREATED_DESC: sql`deployment.created desc, deployment.id desc`,
  UPDATED_DESC: sql`deployment.updated desc, deployment.id desc`,
  NAME_ASC: sql`deployment.name asc, deployment.id asc`,
  NAME_DESC: sql`deployment.name desc, deployment.id desc`,
}
