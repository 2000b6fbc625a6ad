import type { EventFilter, ResourceSpecification } from '@millrace/contracts/event-filter.ts'
import { parseTextSearch, type TextSearch } from '../lib/text-search.ts'
import { type Micros, toMicros } from '../lib/time.ts'
import { dayMicros, startOfDay } from './time-buckets.ts'

/** A parsed event filter. An empty list restricts nothing and becomes null or is left out. */
export interface Criteria {
  readonly since: Micros
  readonly until: Micros
  readonly order: 'ASC' | 'DESC'
  readonly ids: readonly string[] | null
  readonly names: NameCriteria | null
  readonly resource: ResourceCriteria | null
  /** Only the first event of each resource, in the requested order. */
  readonly distinct: boolean
  /** Each must match a related resource. */
  readonly related: readonly ResourceCriteria[]
  /** Each must match the primary or a related resource. */
  readonly any: readonly ResourceCriteria[]
  readonly search: TextSearch | null
}

export interface NameCriteria {
  readonly prefixes: readonly string[]
  readonly names: readonly string[]
  readonly notPrefixes: readonly string[]
  readonly notNames: readonly string[]
}

/** One resource must match all of these. */
export interface ResourceCriteria {
  readonly ids: readonly string[]
  readonly prefixes: readonly string[]
  readonly roles: readonly string[]
  /** Pairs of id and role. */
  readonly idRolePairs: readonly (readonly [string, string])[]
  readonly labels: readonly LabelCriteria[]
}

/** The label has one of the values. A leading `!` negates a value. Without values nothing matches. */
export interface LabelCriteria {
  readonly label: string
  readonly values: readonly string[]
}

/** Whether a filter restricts only names and times, which the summaries of segments can count. */
export const isAnsweredBySummaries = ({ ids, resource, related, any, search }: Criteria): boolean =>
  !ids && !resource && related.length + any.length === 0 && !search

const defaultDays = 180

/** The time range of a filter. Defaults: 180 days ago until now. */
export function timeRangeOf(filter: EventFilter, now: Micros): { since: Micros; until: Micros } {
  const { since, until } = filter.occurred ?? {}
  return {
    since: since === undefined ? startOfDay(now) - defaultDays * dayMicros : toMicros(since),
    until: until === undefined ? now : toMicros(until),
  }
}

export function toCriteria(filter: EventFilter, times: { since: Micros; until: Micros }): Criteria {
  const resource = filter.resource && toResourceCriteria(filter.resource)
  return {
    ...times,
    order: filter.order ?? 'DESC',
    ids: nonEmpty(filter.id?.id),
    names: toNameCriteria(filter.event),
    resource: resource ?? null,
    distinct: filter.resource?.distinct ?? false,
    related: toArray(filter.related).flatMap((one) => toResourceCriteria(one) ?? []),
    any: toArray(filter.any_resource).flatMap((one) => toResourceCriteria(one) ?? []),
    search: toTextSearch(filter.text?.query ?? ''),
  }
}

function toNameCriteria(filter: EventFilter['event']): NameCriteria | null {
  if (!filter) return null
  const criteria = {
    prefixes: filter.prefix ?? [],
    names: filter.name ?? [],
    notPrefixes: filter.exclude_prefix ?? [],
    notNames: filter.exclude_name ?? [],
  }
  return Object.values(criteria).some((list) => list.length > 0) ? criteria : null
}

interface ResourceFilter {
  readonly id?: readonly string[] | null
  readonly id_prefix?: readonly string[] | null
  readonly role?: readonly string[] | null
  readonly resources_in_roles?: readonly (readonly [string, string])[] | null
  readonly labels?: ResourceSpecification | null
}

function toResourceCriteria(filter: ResourceFilter): ResourceCriteria | null {
  const criteria = {
    ids: filter.id ?? [],
    prefixes: filter.id_prefix ?? [],
    roles: filter.role ?? [],
    idRolePairs: filter.resources_in_roles ?? [],
    labels: toLabelCriteria(filter.labels ?? {}),
  }
  return Object.values(criteria).some((list) => list.length > 0) ? criteria : null
}

/** An empty list restricts nothing for the id and role labels, as elsewhere. For any other label it matches nothing. */
const toLabelCriteria = (labels: ResourceSpecification): LabelCriteria[] =>
  Object.entries(labels)
    .map(([label, values]) => ({ label, values: typeof values === 'string' ? [values] : values }))
    .filter(({ label, values }) => values.length > 0 || !(label === 'prefect.resource.id' || label === 'prefect.resource.role'))

function toTextSearch(query: string): TextSearch | null {
  const search = parseTextSearch(query)
  return search.any.length + search.all.length + search.none.length === 0 ? null : search
}

const nonEmpty = (list: readonly string[] | null | undefined): readonly string[] | null => (list && list.length > 0 ? list : null)

const toArray = <T>(one: T | readonly T[] | null | undefined): readonly T[] => (one == null ? [] : Array.isArray(one) ? one : [one as T])
