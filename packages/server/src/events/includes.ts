import type { ResourceLabels } from '../lib/event-record.ts'
import type { Micros } from '../lib/time.ts'
import type { Criteria, NameCriteria, ResourceCriteria } from './criteria.ts'
import { matchesGlob } from './glob.ts'

/** An event as filters look at it outside the database. */
export interface SeenEvent {
  readonly id: string
  readonly occurred: Micros
  readonly event: string
  readonly resource: ResourceLabels
  readonly related: readonly ResourceLabels[]
  /** Name, resources and payload, in small letters. */
  readonly text: string
}

/** The same as the conditions of `where.ts` say in SQL; a test holds the two together. `distinct` is not for single events. */
export function includes(criteria: Criteria, event: SeenEvent): boolean {
  if (criteria.names && !hasName(criteria.names, event.event)) return false
  if (event.occurred < criteria.since || event.occurred > criteria.until) return false
  if (criteria.ids && !criteria.ids.includes(event.id)) return false
  if (criteria.resource && !fits(criteria.resource, event.resource, '')) return false
  for (const wanted of criteria.related) if (!event.related.some((resource) => fits(wanted, resource, roleOf(resource)))) return false
  for (const wanted of criteria.any) {
    if (!fits(wanted, event.resource, '') && !event.related.some((resource) => fits(wanted, resource, roleOf(resource)))) return false
  }
  return !criteria.search || mentions(criteria.search, event.text)
}

export function hasName({ prefixes, names, notPrefixes, notNames }: NameCriteria, event: string): boolean {
  const starts = (prefix: string) => event.startsWith(prefix)
  if (prefixes.length > 0 && !prefixes.some(starts)) return false
  if (names.length > 0 && !names.includes(event)) return false
  return !notPrefixes.some(starts) && !notNames.includes(event)
}

const roleOf = (resource: ResourceLabels): string => resource['prefect.resource.role'] ?? ''

function fits(wanted: ResourceCriteria, resource: ResourceLabels, role: string): boolean {
  const id = resource['prefect.resource.id'] as string
  if (wanted.ids.length > 0 && !wanted.ids.includes(id)) return false
  if (wanted.prefixes.length > 0 && !wanted.prefixes.some((prefix) => id.startsWith(prefix))) return false
  if (wanted.roles.length > 0 && !wanted.roles.includes(role)) return false
  if (wanted.inRoles.length > 0 && !wanted.inRoles.some(([one, itsRole]) => one === id && itsRole === role)) return false
  return wanted.labels.every(({ label, values }) => {
    const value = resource[label]
    return value !== undefined && values.some((pattern) => matchesValue(value, pattern))
  })
}

const matchesValue = (value: string, pattern: string): boolean =>
  pattern.startsWith('!') ? !matchesGlob(value, pattern.slice(1)) : matchesGlob(value, pattern)

function mentions({ any, all, none }: NonNullable<Criteria['search']>, text: string): boolean {
  const has = (word: string) => text.includes(word.toLowerCase())
  return (any.length === 0 || any.some(has)) && all.every(has) && !none.some(has)
}
