import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import { type RawBuilder, sql } from 'kysely'
import { all, type Condition, compare, exists } from '../../storage/criteria.ts'
import type { Db } from '../../storage/database.ts'
import { col, type Dialect } from '../../storage/dialect.ts'
import type { IndexOrder, IndexRange } from './index-range.ts'

/** Beyond so many tags it does not matter which is the rarest. */
const comparedMax = 32

/** The tag that fewest runs carry comes first; beyond a few hundred it matters no longer which. */
export async function sortTagsByRarity(db: Db, tags: readonly string[]): Promise<string[]> {
  const unique = [...new Set(tags)]
  if (unique.length === 1) return unique
  const counts = unique
    .slice(0, comparedMax)
    .map((tag) => sql`select ${tag} as tag, (select count(*) from (select 1 from flow_run_tag where tag = ${tag} limit 500) few) as runs`)
  const { rows } = await sql<{ tag: string; runs: number }>`${sql.join(counts, sql` union all `)} order by runs`.execute(db.kysely)
  return [...rows.map(({ tag }) => tag), ...unique.slice(comparedMax)]
}

const tagIndexes = { expected: 'flow_run_tag_by_expected', started: 'flow_run_tag_by_start' }

/** Each of so few tags is a probe of an index by itself; more are bound as one value and counted. */
const probesMax = 8

/** Whether the run of an id carries all of the tags. */
export function hasAllTags(dialect: Dialect, id: RawBuilder<unknown>, tags: readonly string[]): Condition[] {
  const unique = [...new Set(tags)]
  if (unique.length <= probesMax) return unique.map((tag) => exists(sql`flow_run_tag has`, [sql`has.flow_run_id = ${id}`, sql`has.tag = ${tag}`]))
  const held = sql`select count(*) from flow_run_tag has where has.flow_run_id = ${id} and ${dialect.isIn(col('has.tag'), unique, 'text')}`
  return [sql<boolean>`(${held}) = ${unique.length}`]
}

/** The runs of one tag; whether they carry the others too is asked before their rows are looked at. */
export function tagRange(
  dialect: Dialect,
  tag: string,
  others: readonly string[],
  rest: Condition | undefined,
  time: FlowRunFilter['expected_start_time'],
  order: IndexOrder,
): IndexRange {
  return {
    from: sql`flow_run_tag ${dialect.indexHint(tagIndexes[order])}`,
    id: sql`flow_run_tag.flow_run_id`,
    key: sql.ref(`flow_run_tag.${order}`),
    where: all([sql`flow_run_tag.tag = ${tag}`, ...compare(dialect, col('flow_run_tag.expected'), time)]),
    remaining: [
      ...hasAllTags(dialect, sql`flow_run_tag.flow_run_id`, others),
      ...(rest ? [exists(sql`flow_run`, [sql`flow_run.id = flow_run_tag.flow_run_id`, rest])] : []),
    ],
  }
}
