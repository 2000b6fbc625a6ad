import type { Criteria, LabelCriteria, ResourceCriteria } from '../criteria.ts'
import { matchesGlob } from '../glob.ts'
import { matchesNameCriteria } from '../match-event.ts'
import { type Dictionary, prepareLookup } from './dictionary.ts'
import type { Segment } from './open-segment.ts'
import type { LabelSets, SegmentPartName } from './segment.ts'

/** One byte for each of something: 1 where it meets what is asked. */
export type Mask = Uint8Array

/** What of a chapter a filter looks at. Where a text is to be searched in labels of subjects, these are opened when it may be there. */
export function requiredParts({ resource, related, any, search }: Criteria): SegmentPartName[] {
  const labelled = (wanted: ResourceCriteria | null) => wanted !== null && wanted.labels.length > 0
  const [ofSubjects, ofLinks] = [[resource, ...any].some(labelled), [...related, ...any].some(labelled)]
  return [
    'columns',
    ...(ofLinks || search ? (['links'] as const) : []),
    ...(ofSubjects ? (['subjects'] as const) : []),
    ...(search ? (['grams'] as const) : []),
  ]
}

/** The events of a chapter that meet a filter but for its text: the same as `includes` says of each. Undefined when there are none. */
export function matchSegment(segment: Segment, criteria: Criteria): Mask | undefined {
  const { columns } = segment
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
    const { ids, sets } = resourceMasks(segment, resource, idMask(columns.dictionary, resource))
    if (ids && !intersectMask(mask, columns.resources, ids)) return undefined
    if (sets && !intersectMask(mask, segment.subjects.sets, sets)) return undefined
  }
  for (const wanted of related) {
    const links = linkMask(segment, wanted, idMask(columns.dictionary, wanted))
    if (!intersectMask(mask, columns.relatedLists, relatedListMask(segment, links))) return undefined
  }
  for (const wanted of any) if (!intersectAnyResource(mask, segment, wanted)) return undefined
  return mask
}

function timeMask({ columns: { occurred }, remaining: left, oldest, newest }: Segment, { since, until }: Criteria): Mask {
  const mask = left ? left.slice() : new Uint8Array(occurred.length).fill(1)
  if (oldest >= since && newest <= until) return mask
  for (let i = 0; i < mask.length; i += 1) {
    const time = occurred[i] as number
    if (time < since || time > until) mask[i] = 0
  }
  return mask
}

/** Keeps the marks of events whose number in a column is marked; whether any is left. */
export function intersectMask(mask: Mask, numbers: Uint16Array, selected: Mask): boolean {
  let found = 0
  for (let i = 0; i < mask.length; i += 1) {
    const meets = (mask[i] as number) & (selected[numbers[i] as number] as number)
    mask[i] = meets
    found |= meets
  }
  return found !== 0
}

function intersectAnyResource(mask: Mask, segment: Segment, wanted: ResourceCriteria): boolean {
  const { columns } = segment
  const named = idMask(columns.dictionary, wanted)
  const lists = relatedListMask(segment, linkMask(segment, wanted, named))
  const { ids, sets } = resourceMasks(segment, wanted, named)
  if (!ids && !sets) return true
  if (ids && !ids.includes(1)) return intersectMask(mask, columns.relatedLists, lists)
  let found = 0
  for (let i = 0; i < mask.length; i += 1) {
    let about = ids ? (ids[columns.resources[i] as number] as number) : 1
    if (sets) about &= sets[segment.subjects.sets[i] as number] as number
    const meets = (mask[i] as number) & (about | (lists[columns.relatedLists[i] as number] as number))
    mask[i] = meets
    found |= meets
  }
  return found !== 0
}

/** Subjects by their ids, and sets of their labels; undefined where any will do. */
function resourceMasks(segment: Segment, wanted: ResourceCriteria, named: Mask | undefined): { ids: Mask | undefined; sets: Mask | undefined } {
  return {
    ids: named && mapMask(segment.columns.resourceOrdinals, named),
    sets: wanted.labels.length > 0 ? labelSetMask(segment.subjects, wanted.labels) : undefined,
  }
}

export function nameMask({ columns: { nameOrdinals: nameWords, dictionary: words } }: Segment, predicate: (name: string) => boolean): Mask {
  const mask = new Uint8Array(nameWords.length)
  for (let name = 0; name < mask.length; name += 1) mask[name] = Number(predicate(words.at(nameWords[name] as number)))
  return mask
}

/** The marks of words, for what they are the words of. A plain loop: `Uint8Array.from` took a third of the time of a filter. */
function mapMask(ordinals: Uint32Array, selected: Mask): Mask {
  const mask = new Uint8Array(ordinals.length)
  for (let i = 0; i < mask.length; i += 1) mask[i] = selected[ordinals[i] as number] as number
  return mask
}

/** Words that are ids as asked for; undefined when any is. */
function idMask(words: Dictionary, { ids, prefixes }: ResourceCriteria): Mask | undefined {
  if (ids.length + prefixes.length === 0) return undefined
  const exact = ids.length > 0 ? ordinalMask(words, ids) : undefined
  if (prefixes.length === 0) return exact
  const begun = new Uint8Array(words.count)
  for (const prefix of prefixes) begun.fill(1, ...words.prefixRange(prefix))
  if (exact) for (let i = 0; i < begun.length; i += 1) begun[i] = (begun[i] as number) & (exact[i] as number)
  return begun
}

function ordinalMask(words: Dictionary, texts: readonly string[]): Mask {
  const mask = new Uint8Array(words.count)
  for (const place of words.findAll(prepareLookup(texts))) mask[place] = 1
  return mask
}

/** Pairs of two words as one number each; pairs of which the chapter lacks a word are left out. */
function idRolePairSet(words: Dictionary, pairs: ResourceCriteria['idRolePairs']): ReadonlySet<number> {
  const found = pairs.map(([id, role]) => [words.find(id), words.find(role)] as const).filter(([id, role]) => id >= 0 && role >= 0)
  return new Set(found.map(([id, role]) => id * words.count + role))
}

function linkMask({ columns, links }: Segment, wanted: ResourceCriteria, ids: Mask | undefined): Mask {
  const { linkIdOrdinals: linkIds, linkRoleOrdinals: linkRoles, dictionary: words } = columns
  const roles = wanted.roles.length > 0 ? ordinalMask(words, wanted.roles) : undefined
  const inRoles = wanted.idRolePairs.length > 0 ? idRolePairSet(words, wanted.idRolePairs) : undefined
  const mask = new Uint8Array(linkIds.length)
  for (let link = 0; link < mask.length; link += 1) {
    const [id, role] = [linkIds[link] as number, linkRoles[link] as number]
    if (ids && !ids[id]) continue
    if (roles && !roles[role]) continue
    if (inRoles && !inRoles.has(id * words.count + role)) continue
    mask[link] = 1
  }
  if (wanted.labels.length === 0) return mask
  const labelled = labelSetMask(links, wanted.labels)
  for (let link = 0; link < mask.length; link += 1) mask[link] = (mask[link] as number) & (labelled[link] as number)
  return mask
}

/** Related lists that have a marked link. */
export function relatedListMask({ columns: { relatedEnds, relatedLinks } }: Segment, links: Mask): Mask {
  const mask = new Uint8Array(relatedEnds.length)
  if (!links.includes(1)) return mask
  let at = 0
  for (let list = 0; list < mask.length; list += 1) {
    for (const end = relatedEnds[list] as number; at < end; at += 1) if (links[relatedLinks[at] as number]) mask[list] = 1
  }
  return mask
}

/** Sets of labels that have all of the labels with one of their values. Whether a chapter has such words at all is asked first: most of them do not. */
function labelSetMask({ dictionary: words, ends, pairs }: LabelSets, wanted: readonly LabelCriteria[]): Mask {
  const none = new Uint8Array(ends.length)
  const tests: { readonly key: number; readonly meets: (word: number) => boolean }[] = []
  for (const { label, values } of wanted) {
    const key = words.find(label)
    const meets = valuePredicate(words, values)
    if (key < 0 || !meets) return none
    tests.push({ key, meets })
  }
  const mask = none.fill(1)
  for (const { key, meets } of tests) {
    for (let set = 0, from = 0; set < mask.length; set += 1) {
      const end = ends[set] as number
      if (mask[set]) {
        let at = from
        // A label stands once in a set.
        while (at < end && pairs[at] !== key) at += 2
        mask[set] = Number(at < end && meets(pairs[at + 1] as number))
      }
      from = end
    }
  }
  return mask
}

/** Words that a pattern fits lie between two places, as all of them begin alike; where it says no more than that, all that lie there fit. */
interface PatternRange {
  readonly from: number
  readonly to: number
  readonly isNegated: boolean
  /** What else they have to fit, each looked at once however many have it. */
  readonly matches: ((word: number) => boolean) | undefined
}

/** Undefined when no word of the chapter can meet it. */
function valuePredicate(words: Dictionary, patterns: readonly string[]): ((word: number) => boolean) | undefined {
  const ranges = patterns.map((pattern) => findPatternRange(words, pattern))
  if (ranges.every(({ from, to, isNegated: isNot }) => from >= to && !isNot)) return undefined
  return (word) => {
    for (const { from, to, isNegated: isNot, matches: fits } of ranges)
      if ((word >= from && word < to && (!fits || fits(word))) !== isNot) return true
    return false
  }
}

function findPatternRange(words: Dictionary, given: string): PatternRange {
  const isNot = given.startsWith('!')
  const pattern = isNot ? given.slice(1) : given
  const wild = pattern.search(/[*?]/)
  if (wild < 0) {
    const place = words.find(pattern)
    return { from: place, to: place < 0 ? place : place + 1, isNegated: isNot, matches: undefined }
  }
  const [from, to] = words.prefixRange(pattern.slice(0, wild))
  return { from, to, isNegated: isNot, matches: wild === pattern.length - 1 && pattern.endsWith('*') ? undefined : globPredicate(words, pattern) }
}

const [untested, mismatch, matched] = [0, 1, 2]

function globPredicate(words: Dictionary, pattern: string): (word: number) => boolean {
  const seen = new Uint8Array(words.count)
  return (word) => {
    if (seen[word] === untested) seen[word] = matchesGlob(words.at(word), pattern) ? matched : mismatch
    return seen[word] === matched
  }
}
