import type { ResourceLabels } from '../lib/event-record.ts'
import { PrefixSet } from '../lib/prefix-set.ts'
import type { Micros } from '../lib/time.ts'
import type { Criteria, NameCriteria, ResourceCriteria } from './criteria.ts'
import { matchesGlob } from './glob.ts'
import { MatchBudget, stepsPerEvent } from './match-budget.ts'

/** An event as in-memory filters see it. */
export interface FilterableEvent {
  readonly id: string
  readonly occurred: Micros
  readonly event: string
  readonly resource: ResourceLabels
  readonly related: readonly ResourceLabels[]
  /** Name, resources and payload in lower case. */
  readonly text: string
}

/** The same conditions as the scan of segments; a test compares the two. Ignores `distinct`, which needs all events. */
export function matchesEvent(criteria: Criteria, event: FilterableEvent, budget = new MatchBudget(stepsPerEvent)): boolean {
  const matches = (wanted: ResourceCriteria, resource: ResourceLabels, role: string) => matchesResource(wanted, resource, role, budget)
  if (criteria.names && !matchesNameCriteria(criteria.names, event.event)) return false
  if (event.occurred < criteria.since || event.occurred > criteria.until) return false
  if (criteria.ids && !contains(criteria.ids, event.id)) return false
  if (criteria.resource && !matches(criteria.resource, event.resource, '')) return false
  for (const wanted of criteria.related) if (!event.related.some((resource) => matches(wanted, resource, roleOf(resource)))) return false
  for (const wanted of criteria.any) {
    if (!matches(wanted, event.resource, '') && !event.related.some((resource) => matches(wanted, resource, roleOf(resource)))) return false
  }
  return !criteria.search || matchesSearch(criteria.search, event.text)
}

export function matchesNameCriteria({ prefixes, names, notPrefixes, notNames }: NameCriteria, event: string): boolean {
  if (prefixes.length > 0 && !prefixSet(prefixes).matches(event)) return false
  if (names.length > 0 && !contains(names, event)) return false
  return !prefixSet(notPrefixes).matches(event) && !contains(notNames, event)
}

const prefixSets = new WeakMap<readonly string[], PrefixSet>()
const valueSets = new WeakMap<readonly unknown[], ReadonlySet<string>>()

/** Cached per list, because a filter is tested against many events. */
export function prefixSet(prefixes: readonly string[]): PrefixSet {
  const set = prefixSets.get(prefixes) ?? new PrefixSet(prefixes)
  prefixSets.set(prefixes, set)
  return set
}

/** Up to this size a linear search is faster than a set. */
const linearSearchMax = 8

function contains(values: readonly string[], value: string): boolean {
  if (values.length <= linearSearchMax) return values.includes(value)
  const set = valueSets.get(values) ?? new Set(values)
  valueSets.set(values, set)
  return set.has(value)
}

function containsPair(pairs: ResourceCriteria['idRolePairs'], id: string, role: string): boolean {
  if (pairs.length <= linearSearchMax) return pairs.some(([pairId, pairRole]) => pairId === id && pairRole === role)
  const set = valueSets.get(pairs) ?? new Set(pairs.map(([pairId, pairRole]) => JSON.stringify([pairId, pairRole])))
  valueSets.set(pairs, set)
  return set.has(JSON.stringify([id, role]))
}

const roleOf = (resource: ResourceLabels): string => resource['prefect.resource.role'] ?? ''

function matchesResource(wanted: ResourceCriteria, resource: ResourceLabels, role: string, budget: MatchBudget): boolean {
  const id = resource['prefect.resource.id'] as string
  if (wanted.ids.length > 0 && !contains(wanted.ids, id)) return false
  if (wanted.prefixes.length > 0 && !prefixSet(wanted.prefixes).matches(id)) return false
  if (wanted.roles.length > 0 && !contains(wanted.roles, role)) return false
  if (wanted.idRolePairs.length > 0 && !containsPair(wanted.idRolePairs, id, role)) return false
  return wanted.labels.every(({ label, values }) => {
    const value = resource[label]
    return value !== undefined && values.some((pattern) => matchesValue(value, pattern, budget))
  })
}

const matchesValue = (value: string, pattern: string, budget: MatchBudget): boolean =>
  pattern.startsWith('!') ? !matchesGlob(value, pattern.slice(1), budget) : matchesGlob(value, pattern, budget)

function matchesSearch({ any, all, none }: NonNullable<Criteria['search']>, text: string): boolean {
  const has = (word: string) => text.includes(word.toLowerCase())
  return (any.length === 0 || any.some(has)) && all.every(has) && !none.some(has)
}
