import { type RawBuilder, sql } from 'kysely'
import type { Micros } from '../lib/time.ts'
import { type Condition, combine } from '../storage/criteria.ts'
import { col, type Dialect } from '../storage/dialect.ts'
import type { NameCriteria, ResourceCriteria } from './criteria.ts'
import { prefixSet } from './match-event.ts'

/**
 * Begins a query that is planned for its values each time. A plan for any values, which PostgreSQL falls back to after a few calls, took ten times
 * as long on a million events: how many a name or a resource has is what decides the way.
 */
export const replanHint = sql.raw('/* for its values */')

/** Where the log is looked at: from the first instant to the last, both included. */
export interface TimeRange {
  readonly since: Micros
  readonly until: Micros
}

export const isWithin = (column: string, { since, until }: TimeRange): Condition =>
  sql<boolean>`${col(column)} >= ${since} and ${col(column)} <= ${until}`

/** Prefixes that a query may have: each is a range of the index. With more, the names are looked up first, see `tally.ts`. */
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

/** A range of the index, not a pattern: texts are compared by their bytes on both databases. */
function startsWith(column: RawBuilder<unknown>, prefix: string): Condition {
  const end = prefixUpperBound(prefix)
  return end === null ? sql<boolean>`(${column} >= ${prefix})` : sql<boolean>`(${column} >= ${prefix} and ${column} < ${end})`
}

/** The first text after all that begin with the prefix. */
function prefixUpperBound(prefix: string): string | null {
  const characters = [...prefix]
  while (characters.length > 0) {
    const code = (characters.pop() as string).codePointAt(0) as number
    if (code >= 0x10ffff) continue
    return characters.join('') + String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1)
  }
  return null
}

/** Whether the ids begin as asked for is judged here: they are all named. */
function idWhere(dialect: Dialect, { ids, prefixes, idRolePairs: inRoles }: ResourceCriteria): Condition[] {
  const begins = prefixes.length === 0 ? () => true : (id: string) => prefixSet(prefixes).matches(id)
  const id = col('event_resource.resource_id')
  const fitting = ids.filter(begins)
  const pairs = inRoles.filter(([one]) => begins(one))
  return [
    // One is asked for by `=`, so that the index gives its rows in their order.
    ...(ids.length === 0 ? [] : fitting.length === 1 ? [sql<boolean>`${id} = ${fitting[0]}`] : [dialect.isIn(id, fitting, 'text')]),
    ...(inRoles.length === 0 ? [] : [dialect.isPairIn([id, col('event_resource.role')], pairs)]),
  ]
}

/** Conditions on rows of `event_resource` within a range, whatever the labels. Some ids have to be named. */
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
