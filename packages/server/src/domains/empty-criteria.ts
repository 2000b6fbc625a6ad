import { sql } from 'kysely'
import type { Condition } from '../storage/criteria.ts'

interface Filter {
  readonly operator?: 'and_' | 'or_'
}

/**
 * An empty criterion matches everything. With `and_` this changes nothing; with `or_` the filter matches everything, as in the reference.
 */
export function matchesEverything(filter: Filter, ...ignored: readonly string[]): boolean {
  if (filter.operator !== 'or_') return false
  const given = Object.entries(filter).filter(([name, criterion]) => name !== 'operator' && criterion != null && !ignored.includes(name))
  return given.some(([name, criterion]) => !hasCriteria(name, criterion))
}

export const whereEmptyCriteria = (filter: Filter, ...ignored: readonly string[]): Condition[] =>
  matchesEverything(filter, ...ignored) ? [sql<boolean>`1 = 1`] : []

/** An empty list in any other criterion matches nothing. */
const ignoredWhenEmpty = ['not_any_', 'all_', 'startswith_']

function hasCriteria(name: string, value: unknown): boolean {
  if (value == null || name === 'operator') return false
  // The values of parameters may be null.
  if (name === 'matches_') return Object.keys(value).length > 0
  if (Array.isArray(value)) return value.length > 0 || !ignoredWhenEmpty.includes(name)
  return typeof value === 'object' ? Object.entries(value).some(([key, inner]) => hasCriteria(key, inner)) : value !== ''
}
