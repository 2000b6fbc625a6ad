import type { ArtifactCollectionFilter, ArtifactFilter, ArtifactSort } from '@millrace/contracts/artifact.ts'
import { type RawBuilder, sql } from 'kysely'
import { all, type Condition, combine, compare, exists, isNull } from '../../storage/criteria.ts'
import { col, type Dialect } from '../../storage/dialect.ts'
import { whereEmptyCriteria } from '../empty-criteria.ts'
import { flowRunsWhere, type RelatedFilters } from '../relations.ts'
import { taskRunWhere } from '../task-runs/filter.ts'

/** Artifacts and the latest of each key are in two tables with the same columns. */
export type ArtifactTable = 'artifact' | 'artifact_collection'

export interface ArtifactFilters extends RelatedFilters {
  readonly artifacts?: ArtifactFilter | ArtifactCollectionFilter | null
}

/** The condition of an artifact filter and of filters on its runs, for either table. */
export function artifactsWhere(dialect: Dialect, table: ArtifactTable, filters: ArtifactFilters): Condition {
  const { artifacts, task_runs, flows, flow_runs, deployments } = filters
  const id = (name: string) => sql.ref(`${table}.${name}`)
  return all([
    ...(artifacts ? [artifactConditions(dialect, table, artifacts)] : []),
    ...(flows || flow_runs || deployments
      ? [exists(sql`flow_run`, [sql`flow_run.id = ${id('flow_run_id')}`, flowRunsWhere(dialect, { flows, flow_runs, deployments })])]
      : []),
    ...(task_runs ? [exists(sql`task_run`, [sql`task_run.id = ${id('task_run_id')}`, taskRunWhere(dialect, task_runs)])] : []),
  ])
}

function artifactConditions(dialect: Dialect, table: ArtifactTable, filter: ArtifactFilter | ArtifactCollectionFilter): Condition {
  const column = (name: string) => col(`${table}.${name}`)
  const key = filter.key
  const keyed = [
    ...compare(dialect, column('key'), key && { any_: key.any_ ?? null, like_: key.like_ || null }),
    ...(key?.exists_ == null ? [] : [isNull(column('key'), !key.exists_)]),
  ]
  return combine(filter.operator, [
    ...whereEmptyCriteria(filter),
    ...('id' in filter ? compare(dialect, column('id'), filter.id, 'uuid') : []),
    ...('latest_id' in filter ? compare(dialect, column('latest_id'), filter.latest_id, 'uuid') : []),
    ...(keyed.length === 0 ? [] : [all(keyed)]),
    ...compare(dialect, column('flow_run_id'), filter.flow_run_id, 'uuid'),
    ...compare(dialect, column('task_run_id'), filter.task_run_id, 'uuid'),
    ...compare(dialect, column('type'), filter.type),
  ])
}

/** Sort orders for both tables. Artifacts without a key come first. */
export const artifactOrder: Readonly<Record<ArtifactSort, RawBuilder<unknown>>> = {
  CREATED_DESC: sql`created desc, id desc`,
  UPDATED_DESC: sql`updated desc, id desc`,
  ID_DESC: sql`id desc`,
  KEY_DESC: sql`key desc nulls last, id desc`,
  KEY_ASC: sql`key asc nulls first, id asc`,
}
