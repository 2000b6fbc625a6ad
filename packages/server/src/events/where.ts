import { type RawBuilder, sql } from 'kysely'
import type { TextSearch } from '../lib/text-search.ts'
import type { Micros } from '../lib/time.ts'
import { all, type Condition, combine } from '../storage/criteria.ts'
import { col, type Dialect } from '../storage/dialect.ts'
import type { Criteria, LabelCriteria, NameCriteria, ResourceCriteria } from './criteria.ts'

/**
 * Begins a query that is planned for its values each time. A plan for any values, which PostgreSQL falls back to after a few calls, took ten times
 * as long on a million events: how many a name or a resource has is what decides the way.
 */
export const planned = sql.raw('/* for its values */')

/** Where the log is looked at: from the first instant to the last, both included. */
export interface Range {
  readonly since: Micros
  readonly until: Micros
}

/** What a filter asks of rows of `event` within a range; the range is the filter's own or a part of it. */
export function eventWhere(dialect: Dialect, criteria: Criteria, range: Range): Condition {
  return all([
    within('event.occurred', range),
    ...(criteria.ids ? [dialect.isIn(col('event.id'), criteria.ids, 'uuid')] : []),
    ...nameWhere(dialect, 'event.event', criteria.names),
    ...(criteria.resource ? subjectWhere(dialect, criteria.resource) : []),
    ...criteria.related.map((wanted) => relatedWhere(dialect, wanted)),
    ...criteria.any.map((wanted) => anyWhere(dialect, wanted)),
    ...(criteria.search ? searchWhere(criteria.search) : []),
  ])
}

export const within = (column: string, { since, until }: Range): Condition => sql<boolean>`${col(column)} >= ${since} and ${col(column)} <= ${until}`

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
export function startsWith(column: RawBuilder<unknown>, prefix: string): Condition {
  const end = after(prefix)
  return end === null ? sql<boolean>`(${column} >= ${prefix})` : sql<boolean>`(${column} >= ${prefix} and ${column} < ${end})`
}

/** The first text after all that begin with the prefix. */
function after(prefix: string): string | null {
  const characters = [...prefix]
  while (characters.length > 0) {
    const code = (characters.pop() as string).codePointAt(0) as number
    if (code >= 0x10ffff) continue
    return characters.join('') + String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1)
  }
  return null
}

/** Of a column that holds ids, in the log or beside it. */
export function idWhere(dialect: Dialect, column: string, { ids, prefixes }: Pick<ResourceCriteria, 'ids' | 'prefixes'>): Condition[] {
  const id = col(column)
  return [
    // One is asked for by `=`, so that the index gives its rows in their order.
    ...(ids.length === 1 ? [sql<boolean>`${id} = ${ids[0]}`] : ids.length > 0 ? [dialect.isIn(id, ids, 'text')] : []),
    ...(prefixes.length > 0
      ? [
          combine(
            'or_',
            prefixes.map((prefix) => startsWith(id, prefix)),
          ),
        ]
      : []),
  ]
}

/** Conditions on rows of `event_resource` within a range, whatever the labels. */
export const linkWhere = (dialect: Dialect, wanted: ResourceCriteria, range: Range): Condition[] => [
  within('event_resource.occurred', range),
  ...linkedTo(dialect, wanted),
]

function linkedTo(dialect: Dialect, wanted: ResourceCriteria): Condition[] {
  return [
    ...idWhere(dialect, 'event_resource.resource_id', wanted),
    ...(wanted.roles.length > 0 ? [dialect.isIn(col('event_resource.role'), wanted.roles, 'text')] : []),
    ...(wanted.inRoles.length > 0
      ? [
          combine(
            'or_',
            wanted.inRoles.map(([id, role]) => sql<boolean>`(event_resource.resource_id = ${id} and event_resource.role = ${role})`),
          ),
        ]
      : []),
  ]
}

export const isRelated: Condition = sql<boolean>`event_resource.role <> ''`
export const isSubject: Condition = sql<boolean>`event_resource.role = ''`

const subjectWhere = (dialect: Dialect, wanted: ResourceCriteria): Condition[] => [
  ...idWhere(dialect, 'event.resource_id', wanted),
  ...labelsWhere(dialect, sql`event.resource`, wanted.labels),
]

/** Asked row by row, which is a step into the index each: whoever drives the query, by name or by time, decides how many. */
const linked = (conditions: readonly Condition[]): Condition =>
  sql<boolean>`exists (select 1 from event_resource
    where event_resource.occurred = event.occurred and event_resource.event_position = event.position and ${all(conditions)})`

function relatedWhere(dialect: Dialect, wanted: ResourceCriteria): Condition {
  if (isByIndex(wanted)) return linked([isRelated, ...linkedTo(dialect, wanted)])
  if (isByPrefix(wanted))
    return combine(
      'or_',
      wanted.prefixes.map((prefix) => relatedStartsWith(dialect, prefix)),
    )
  return all([...narrowed(dialect, wanted, [isRelated]), hasItem(dialect, wanted)])
}

function anyWhere(dialect: Dialect, wanted: ResourceCriteria): Condition {
  if (isByIndex(wanted)) return linked(linkedTo(dialect, wanted))
  const subject = all(subjectWhere(dialect, wanted))
  if (isByPrefix(wanted)) return combine('or_', [subject, ...wanted.prefixes.map((prefix) => relatedStartsWith(dialect, prefix))])
  return all([...narrowed(dialect, wanted, []), combine('or_', [subject, hasItem(dialect, wanted)])])
}

const namesIds = ({ ids, inRoles }: ResourceCriteria): boolean => ids.length + inRoles.length > 0

/** The index of resources begins with their ids: only whole ones are a single step into it. */
const isByIndex = (wanted: ResourceCriteria): boolean => namesIds(wanted) && wanted.labels.length === 0

const isByPrefix = ({ prefixes, ids, inRoles, roles, labels }: ResourceCriteria): boolean =>
  prefixes.length > 0 && ids.length + inRoles.length + roles.length + labels.length === 0

/** Labels are in the rows of the log alone; where ids are asked for as well, the index says which rows to look at. */
const narrowed = (dialect: Dialect, wanted: ResourceCriteria, more: readonly Condition[]): Condition[] =>
  namesIds(wanted) ? [linked([...more, ...linkedTo(dialect, wanted)])] : []

/** The log's own JSON has no blanks, and a quote within a text is escaped: this is never anything but an id. Ten times as fast as reading the JSON. */
const relatedStartsWith = (dialect: Dialect, prefix: string): Condition =>
  sql<boolean>`${dialect.indexOf(sql`cast(event.related as text)`, `"prefect.resource.id":${JSON.stringify(prefix).slice(0, -1)}`)} > 0`

/** A related resource that meets all of it. */
function hasItem(dialect: Dialect, wanted: ResourceCriteria): Condition {
  const item = sql`item.value`
  const id = dialect.labelOf(item, 'prefect.resource.id')
  const role = dialect.labelOf(item, 'prefect.resource.role')
  return sql<boolean>`exists (select 1 from ${dialect.jsonItems(sql`event.related`)} where ${all([
    ...(wanted.ids.length > 0 ? [dialect.isIn(id, wanted.ids, 'text')] : []),
    ...(wanted.prefixes.length > 0
      ? [
          combine(
            'or_',
            wanted.prefixes.map((prefix) => startsWith(dialect.bytewise(id), prefix)),
          ),
        ]
      : []),
    ...(wanted.roles.length > 0 ? [dialect.isIn(role, wanted.roles, 'text')] : []),
    ...(wanted.inRoles.length > 0
      ? [
          combine(
            'or_',
            wanted.inRoles.map(([one, itsRole]) => sql<boolean>`(${id} = ${one} and ${role} = ${itsRole})`),
          ),
        ]
      : []),
    ...labelsWhere(dialect, item, wanted.labels),
  ])})`
}

function labelsWhere(dialect: Dialect, labels: RawBuilder<unknown>, wanted: readonly LabelCriteria[]): Condition[] {
  return wanted.map(({ label, values }) => {
    if (values.length === 0) return sql<boolean>`1 = 0`
    const value = dialect.labelOf(labels, label)
    // A label that is not there is null, and so is whether it matches, negated or not.
    return combine(
      'or_',
      values.map((pattern) => (pattern.startsWith('!') ? sql<boolean>`not ${dialect.glob(value, pattern.slice(1))}` : dialect.glob(value, pattern))),
    )
  })
}

function searchWhere({ any, all: every, none }: TextSearch): Condition[] {
  return [
    ...(any.length > 0 ? [combine('or_', any.map(mentions))] : []),
    ...every.map(mentions),
    ...none.map((word) => sql<boolean>`not ${mentions(word)}`),
  ]
}

const searched = sql`lower(event.event || ' ' || cast(event.resource as text) || ' ' || cast(event.related as text) || ' ' || cast(event.payload as text))`

const mentions = (word: string): Condition => sql<boolean>`(${searched} like lower(${`%${word.replaceAll(/[\\%_]/g, '\\$&')}%`}) escape '\\')`
