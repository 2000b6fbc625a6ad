import { type RawBuilder, sql } from 'kysely'
import type { Micros } from '../lib/time.ts'
import { type Condition, combine } from '../storage/criteria.ts'
import { col, type Dialect } from '../storage/dialect.ts'
import type { NameCriteria, ResourceCriteria } from './criteria.ts'
import { prefixSet } from './match-event.ts'

/**
 * Makes the PostgreSQL driver plan a query for its values each time. The generic plan, which PostgreSQL switches to after a few calls, took ten times as long
 * on a million events: the best plan depends on how many events a name or resource has.
 */
export const replanHint = sql.raw('/* for its values */')

/** Both ends are inclusive. */
export interface TimeRange {
  readonly since: Micros
  readonly until: Micros
}

export const isWithin = (column: string, { since, until }: TimeRange): Condition =>
  sql<boolean>`${col(column)} >= ${since} and ${col(column)} <= ${until}`

/** Prefixes per query; each is an index range. Above this the names are resolved first (see rollup.ts). */
export const prefixesMax = 8

export function nameWhere(dialect: Dialect, column: string, names: NameCriteria | null): Condition[] {
  if (!names) return []
  const name = col(column)
  return [
    ...(names.prefixes.length > 0
      ? [
          combine(
            'or_',
            names.prefixes.map((prefix) => startsWith(name, prefix)),
          ),
        ]
      : []),
    ...(names.names.length > 0 ? [dialect.isIn(name, names.names, 'text')] : []),
    ...names.notPrefixes.map((prefix) => sql<boolean>`not ${startsWith(name, prefix)}`),
    ...(names.notNames.length > 0 ? [sql<boolean>`not ${dialect.isIn(name, names.notNames, 'text')}`] : []),
  ]
}

/** An index range instead of a pattern: both databases compare texts by bytes. */
function startsWith(column: RawBuilder<unknown>, prefix: string): Condition {
  const end = prefixUpperBound(prefix)
  return end === null ? sql<boolean>`(${column} >= ${prefix})` : sql<boolean>`(${column} >= ${prefix} and ${column} < ${end})`
}

/** The first text after all texts with the prefix. */
function prefixUpperBound(prefix: string): string | null {
  const characters = [...prefix]
  while (characters.length > 0) {
    const code = (characters.pop() as string).codePointAt(0) as number
    if (code >= 0x10ffff) continue
    return characters.join('') + String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1)
  }
  return null
}

/** Applies the prefixes to the given ids here, so that the query needs only ids. */
function idWhere(dialect: Dialect, { ids, prefixes, idRolePairs }: ResourceCriteria): Condition[] {
  const hasPrefix = prefixes.length === 0 ? () => true : (id: string) => prefixSet(prefixes).matches(id)
  const id = col('event_resource.resource_id')
  const matching = ids.filter(hasPrefix)
  const pairs = idRolePairs.filter(([pairId]) => hasPrefix(pairId))
  return [
    // `=` for a single id lets the index return its rows in order.
    ...(ids.length === 0 ? [] : matching.length === 1 ? [sql<boolean>`${id} = ${matching[0]}`] : [dialect.isIn(id, matching, 'text')]),
    ...(idRolePairs.length === 0 ? [] : [dialect.isPairIn([id, col('event_resource.role')], pairs)]),
  ]
}

/** Conditions on `event_resource` in a time range, except labels. The criteria must contain ids. */
export const resourceWhere = (dialect: Dialect, wanted: ResourceCriteria, range: TimeRange): Condition[] => [
  isWithin('event_resource.occurred', range),
  ...idAndRoleWhere(dialect, wanted),
]

const idAndRoleWhere = (dialect: Dialect, wanted: ResourceCriteria): Condition[] => [
  ...idWhere(dialect, wanted),
  ...(wanted.roles.length > 0 ? [dialect.isIn(col('event_resource.role'), wanted.roles, 'text')] : []),
]

export const isRelatedResource: Condition = sql<boolean>`event_resource.role <> ''`
export const isPrimaryResource: Condition = sql<boolean>`event_resource.role = ''`
