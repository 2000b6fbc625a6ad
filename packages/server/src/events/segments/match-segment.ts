import type { Criteria, LabelCriteria, ResourceCriteria } from '../criteria.ts'
import { compileGlob } from '../glob.ts'
import { MatchBudget, stepsPerSegment } from '../match-budget.ts'
import { matchesNameCriteria } from '../match-event.ts'
import { type Dictionary, prepareLookup } from './dictionary.ts'
import type { LabelSets, SegmentPartName } from './segment.ts'
import type { Segment } from './segment-store.ts'

/** One byte per item: 1 for a match. */
export type Mask = Uint8Array

/** The parts that a filter needs. Text search loads the labels of primary resources only when they may contain the term. */
export function requiredParts({ resource, related, any, search }: Criteria): SegmentPartName[] {
  const hasLabels = (wanted: ResourceCriteria | null) => wanted !== null && wanted.labels.length > 0
  const [needsSubjects, needsLinks] = [[resource, ...any].some(hasLabels), [...related, ...any].some(hasLabels)]
  return [
    'columns',
    ...(needsLinks || search ? (['links'] as const) : []),
    ...(needsSubjects ? (['subjects'] as const) : []),
    ...(search ? (['grams'] as const) : []),
  ]
}

/** The events of a segment that match a filter except its text search, as `matchesEvent` decides. Undefined when there are none. */
export function matchSegment(segment: Segment, criteria: Criteria): Mask | undefined {
  const { columns } = segment
  const budget = new MatchBudget(stepsPerSegment)
  const mask = timeMask(segment, criteria)
  const { names, resource, related, any } = criteria
  if (names) {
    if (
      !intersectMask(
        mask,
        columns.names,
        nameMask(segment, (name) => matchesNameCriteria(names, name)),
      )
    )
      return undefined
  }
  if (resource) {
    const { ids, sets } = resourceMasks(segment, resource, idMask(columns.dictionary, resource), budget)
    if (ids && !intersectMask(mask, columns.resources, ids)) return undefined
    if (sets && !intersectMask(mask, segment.subjects.sets, sets)) return undefined
  }
  for (const wanted of related) {
    const links = linkMask(segment, wanted, idMask(columns.dictionary, wanted), budget)
    if (!intersectMask(mask, columns.relatedLists, relatedListMask(segment, links))) return undefined
  }
  for (const wanted of any) if (!intersectAnyResource(mask, segment, wanted, budget)) return undefined
  return mask
}

function timeMask({ columns: { occurred }, oldest, newest }: Segment, { since, until }: Criteria): Mask {
  const mask = new Uint8Array(occurred.length).fill(1)
  if (oldest >= since && newest <= until) return mask
  for (let i = 0; i < mask.length; i += 1) {
    const time = occurred[i] as number
    if (time < since || time > until) mask[i] = 0
  }
  return mask
}

/** Removes events whose value in a column is not selected. False when none is left. */
export function intersectMask(mask: Mask, column: Uint16Array, selected: Mask): boolean {
  let found = 0
  for (let i = 0; i < mask.length; i += 1) {
    const matches = (mask[i] as number) & (selected[column[i] as number] as number)
    mask[i] = matches
    found |= matches
  }
  return found !== 0
}

function intersectAnyResource(mask: Mask, segment: Segment, wanted: ResourceCriteria, budget: MatchBudget): boolean {
  const { columns } = segment
  const entries = idMask(columns.dictionary, wanted)
  const lists = relatedListMask(segment, linkMask(segment, wanted, entries, budget))
  const { ids, sets } = resourceMasks(segment, wanted, entries, budget)
  if (!ids && !sets) return true
  if (ids && !ids.includes(1)) return intersectMask(mask, columns.relatedLists, lists)
  let found = 0
  for (let i = 0; i < mask.length; i += 1) {
    let primary = ids ? (ids[columns.resources[i] as number] as number) : 1
    if (sets) primary &= sets[segment.subjects.sets[i] as number] as number
    const matches = (mask[i] as number) & (primary | (lists[columns.relatedLists[i] as number] as number))
    mask[i] = matches
    found |= matches
  }
  return found !== 0
}

/** Matching primary resources and label sets; undefined when unrestricted. `entries` marks the matching ids in the dictionary. */
function resourceMasks(
  segment: Segment,
  wanted: ResourceCriteria,
  entries: Mask | undefined,
  budget: MatchBudget,
): { ids: Mask | undefined; sets: Mask | undefined } {
  return {
    ids: entries && mapMask(segment.columns.resourceOrdinals, entries),
    sets: wanted.labels.length > 0 ? labelSetMask(segment.subjects, wanted.labels, budget) : undefined,
  }
}

export function nameMask({ columns: { nameOrdinals, dictionary } }: Segment, predicate: (name: string) => boolean): Mask {
  const mask = new Uint8Array(nameOrdinals.length)
  for (let name = 0; name < mask.length; name += 1) mask[name] = Number(predicate(dictionary.at(nameOrdinals[name] as number)))
  return mask
}

/** Maps a mask over the dictionary to a mask over a column of ordinals. A plain loop, because `Uint8Array.from` took a third of the time of a filter. */
function mapMask(ordinals: Uint32Array, selected: Mask): Mask {
  const mask = new Uint8Array(ordinals.length)
  for (let i = 0; i < mask.length; i += 1) mask[i] = selected[ordinals[i] as number] as number
  return mask
}

/** The dictionary entries that match the ids and prefixes; undefined when unrestricted. */
function idMask(dictionary: Dictionary, { ids, prefixes }: ResourceCriteria): Mask | undefined {
  if (ids.length + prefixes.length === 0) return undefined
  const exact = ids.length > 0 ? ordinalMask(dictionary, ids) : undefined
  if (prefixes.length === 0) return exact
  const prefixed = new Uint8Array(dictionary.count)
  for (const prefix of prefixes) prefixed.fill(1, ...dictionary.prefixRange(prefix))
  if (exact) for (let i = 0; i < prefixed.length; i += 1) prefixed[i] = (prefixed[i] as number) & (exact[i] as number)
  return prefixed
}

function ordinalMask(dictionary: Dictionary, texts: readonly string[]): Mask {
  const mask = new Uint8Array(dictionary.count)
  for (const ordinal of dictionary.findAll(prepareLookup(texts))) mask[ordinal] = 1
  return mask
}

/** Encodes pairs of ordinals as numbers. Pairs that are not in the dictionary are left out. */
function idRolePairSet(dictionary: Dictionary, pairs: ResourceCriteria['idRolePairs']): ReadonlySet<number> {
  const found = pairs.map(([id, role]) => [dictionary.find(id), dictionary.find(role)] as const).filter(([id, role]) => id >= 0 && role >= 0)
  return new Set(found.map(([id, role]) => id * dictionary.count + role))
}

function linkMask({ columns, links }: Segment, wanted: ResourceCriteria, ids: Mask | undefined, budget: MatchBudget): Mask {
  const { linkIdOrdinals, linkRoleOrdinals, dictionary } = columns
  const roles = wanted.roles.length > 0 ? ordinalMask(dictionary, wanted.roles) : undefined
  const pairs = wanted.idRolePairs.length > 0 ? idRolePairSet(dictionary, wanted.idRolePairs) : undefined
  const mask = new Uint8Array(linkIdOrdinals.length)
  for (let link = 0; link < mask.length; link += 1) {
    const [id, role] = [linkIdOrdinals[link] as number, linkRoleOrdinals[link] as number]
    if (ids && !ids[id]) continue
    if (roles && !roles[role]) continue
    if (pairs && !pairs.has(id * dictionary.count + role)) continue
    mask[link] = 1
  }
  if (wanted.labels.length === 0) return mask
  const labelMask = labelSetMask(links, wanted.labels, budget)
  for (let link = 0; link < mask.length; link += 1) mask[link] = (mask[link] as number) & (labelMask[link] as number)
  return mask
}

/** The related lists that contain a link of the mask. */
export function relatedListMask({ columns: { relatedEnds, relatedLinks } }: Segment, links: Mask): Mask {
  const mask = new Uint8Array(relatedEnds.length)
  if (!links.includes(1)) return mask
  let at = 0
  for (let list = 0; list < mask.length; list += 1) {
    for (const end = relatedEnds[list] as number; at < end; at += 1) if (links[relatedLinks[at] as number]) mask[list] = 1
  }
  return mask
}

/** The label sets with all wanted labels. The dictionary is searched first, because most segments do not contain the values. */
function labelSetMask({ dictionary, ends, pairs }: LabelSets, wanted: readonly LabelCriteria[], budget: MatchBudget): Mask {
  const none = new Uint8Array(ends.length)
  const tests: { readonly key: number; readonly matches: (entry: number) => boolean }[] = []
  for (const { label, values } of wanted) {
    const key = dictionary.find(label)
    const matches = valuePredicate(dictionary, values, budget)
    if (key < 0 || !matches) return none
    tests.push({ key, matches })
  }
  const mask = none.fill(1)
  for (const { key, matches } of tests) {
    for (let set = 0, from = 0; set < mask.length; set += 1) {
      const end = ends[set] as number
      if (mask[set]) {
        let at = from
        // A set contains a label at most once.
        while (at < end && pairs[at] !== key) at += 2
        mask[set] = Number(at < end && matches(pairs[at + 1] as number))
      }
      from = end
    }
  }
  return mask
}

/** The cost of looking up a pattern in the dictionary, in steps of matching. */
const lookupSteps = 1000

/** The dictionary range of a pattern's literal prefix. Without `matches`, every entry in the range matches. */
interface PatternRange {
  readonly from: number
  readonly to: number
  readonly isNegated: boolean
  /** Tests the rest of the pattern. Caches the result per entry. */
  readonly matches: ((entry: number) => boolean) | undefined
}

/** Undefined when no entry of the dictionary can match. */
function valuePredicate(dictionary: Dictionary, patterns: readonly string[], budget: MatchBudget): ((entry: number) => boolean) | undefined {
  budget.spend(patterns.length * lookupSteps)
  const ranges = patterns.map((pattern) => findPatternRange(dictionary, pattern, budget))
  if (ranges.every(({ from, to, isNegated }) => from >= to && !isNegated)) return undefined
  return (entry) => {
    for (const { from, to, isNegated, matches } of ranges)
      if ((entry >= from && entry < to && (!matches || matches(entry))) !== isNegated) return true
    return false
  }
}

function findPatternRange(dictionary: Dictionary, value: string, budget: MatchBudget): PatternRange {
  const isNegated = value.startsWith('!')
  const pattern = isNegated ? value.slice(1) : value
  const wild = pattern.search(/[*?]/)
  if (wild < 0) {
    const ordinal = dictionary.find(pattern)
    return { from: ordinal, to: ordinal < 0 ? ordinal : ordinal + 1, isNegated, matches: undefined }
  }
  const [from, to] = dictionary.prefixRange(pattern.slice(0, wild))
  return {
    from,
    to,
    isNegated,
    matches: wild === pattern.length - 1 && pattern.endsWith('*') ? undefined : globPredicate(dictionary, pattern, budget),
  }
}

const [untested, mismatch, matched] = [0, 1, 2]

function globPredicate(dictionary: Dictionary, pattern: string, budget: MatchBudget): (entry: number) => boolean {
  const matches = compileGlob(pattern)
  let seen: Uint8Array | undefined
  return (entry) => {
    seen ??= new Uint8Array(dictionary.count)
    if (seen[entry] === untested) seen[entry] = matches(dictionary.at(entry), budget) ? matched : mismatch
    return seen[entry] === matched
  }
}
