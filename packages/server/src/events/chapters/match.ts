import type { Criteria, LabelCriteria, ResourceCriteria } from '../criteria.ts'
import { matchesGlob } from '../glob.ts'
import { hasName } from '../includes.ts'
import type { LabelSets, PartName } from './chapter.ts'
import type { Chapter } from './open-chapter.ts'
import { type Words, wantedOf } from './words.ts'

/** One byte for each of something: 1 where it meets what is asked. */
export type Marks = Uint8Array

/** What of a chapter a filter looks at. Where a text is to be searched in labels of subjects, these are opened when it may be there. */
export function needsOf({ resource, related, any, search }: Criteria): PartName[] {
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
export function matching(chapter: Chapter, criteria: Criteria): Marks | undefined {
  const { columns } = chapter
  const marks = inTime(chapter, criteria)
  const { names, resource, related, any } = criteria
  if (names) {
    if (
      !keep(
        marks,
        columns.names,
        nameMarks(chapter, (name) => hasName(names, name)),
      )
    )
      return undefined
  }
  if (resource) {
    const { ids, sets } = subjectMarks(chapter, resource, idMarks(columns.words, resource))
    if (ids && !keep(marks, columns.subjects, ids)) return undefined
    if (sets && !keep(marks, chapter.subjects.sets, sets)) return undefined
  }
  for (const wanted of related) {
    const links = linkMarks(chapter, wanted, idMarks(columns.words, wanted))
    if (!keep(marks, columns.relateds, relatedMarks(chapter, links))) return undefined
  }
  for (const wanted of any) if (!keepAny(marks, chapter, wanted)) return undefined
  return marks
}

function inTime({ columns: { occurred }, left, oldest, newest }: Chapter, { since, until }: Criteria): Marks {
  const marks = left ? left.slice() : new Uint8Array(occurred.length).fill(1)
  if (oldest >= since && newest <= until) return marks
  for (let i = 0; i < marks.length; i += 1) {
    const time = occurred[i] as number
    if (time < since || time > until) marks[i] = 0
  }
  return marks
}

/** Keeps the marks of events whose number in a column is marked; whether any is left. */
export function keep(marks: Marks, numbers: Uint16Array, marked: Marks): boolean {
  let found = 0
  for (let i = 0; i < marks.length; i += 1) {
    const meets = (marks[i] as number) & (marked[numbers[i] as number] as number)
    marks[i] = meets
    found |= meets
  }
  return found !== 0
}

function keepAny(marks: Marks, chapter: Chapter, wanted: ResourceCriteria): boolean {
  const { columns } = chapter
  const named = idMarks(columns.words, wanted)
  const lists = relatedMarks(chapter, linkMarks(chapter, wanted, named))
  const { ids, sets } = subjectMarks(chapter, wanted, named)
  if (!ids && !sets) return true
  if (ids && !ids.includes(1)) return keep(marks, columns.relateds, lists)
  let found = 0
  for (let i = 0; i < marks.length; i += 1) {
    let about = ids ? (ids[columns.subjects[i] as number] as number) : 1
    if (sets) about &= sets[chapter.subjects.sets[i] as number] as number
    const meets = (marks[i] as number) & (about | (lists[columns.relateds[i] as number] as number))
    marks[i] = meets
    found |= meets
  }
  return found !== 0
}

/** Subjects by their ids, and sets of their labels; undefined where any will do. */
function subjectMarks(chapter: Chapter, wanted: ResourceCriteria, named: Marks | undefined): { ids: Marks | undefined; sets: Marks | undefined } {
  return {
    ids: named && through(chapter.columns.subjectWords, named),
    sets: wanted.labels.length > 0 ? labelMarks(chapter.subjects, wanted.labels) : undefined,
  }
}

export function nameMarks({ columns: { nameWords, words } }: Chapter, holds: (name: string) => boolean): Marks {
  const marks = new Uint8Array(nameWords.length)
  for (let name = 0; name < marks.length; name += 1) marks[name] = Number(holds(words.at(nameWords[name] as number)))
  return marks
}

/** The marks of words, for what they are the words of. A plain loop: `Uint8Array.from` took a third of the time of a filter. */
function through(words: Uint32Array, marked: Marks): Marks {
  const marks = new Uint8Array(words.length)
  for (let i = 0; i < marks.length; i += 1) marks[i] = marked[words[i] as number] as number
  return marks
}

/** Words that are ids as asked for; undefined when any is. */
function idMarks(words: Words, { ids, prefixes }: ResourceCriteria): Marks | undefined {
  if (ids.length + prefixes.length === 0) return undefined
  const exact = ids.length > 0 ? wordMarks(words, ids) : undefined
  if (prefixes.length === 0) return exact
  const begun = new Uint8Array(words.count)
  for (const prefix of prefixes) begun.fill(1, ...words.startingWith(prefix))
  if (exact) for (let i = 0; i < begun.length; i += 1) begun[i] = (begun[i] as number) & (exact[i] as number)
  return begun
}

function wordMarks(words: Words, texts: readonly string[]): Marks {
  const marks = new Uint8Array(words.count)
  for (const place of words.findAll(wantedOf(texts))) marks[place] = 1
  return marks
}

/** Pairs of two words as one number each; pairs of which the chapter lacks a word are left out. */
function pairMarks(words: Words, pairs: ResourceCriteria['inRoles']): ReadonlySet<number> {
  const found = pairs.map(([id, role]) => [words.find(id), words.find(role)] as const).filter(([id, role]) => id >= 0 && role >= 0)
  return new Set(found.map(([id, role]) => id * words.count + role))
}

function linkMarks({ columns, links }: Chapter, wanted: ResourceCriteria, ids: Marks | undefined): Marks {
  const { linkIds, linkRoles, words } = columns
  const roles = wanted.roles.length > 0 ? wordMarks(words, wanted.roles) : undefined
  const inRoles = wanted.inRoles.length > 0 ? pairMarks(words, wanted.inRoles) : undefined
  const marks = new Uint8Array(linkIds.length)
  for (let link = 0; link < marks.length; link += 1) {
    const [id, role] = [linkIds[link] as number, linkRoles[link] as number]
    if (ids && !ids[id]) continue
    if (roles && !roles[role]) continue
    if (inRoles && !inRoles.has(id * words.count + role)) continue
    marks[link] = 1
  }
  if (wanted.labels.length === 0) return marks
  const labelled = labelMarks(links, wanted.labels)
  for (let link = 0; link < marks.length; link += 1) marks[link] = (marks[link] as number) & (labelled[link] as number)
  return marks
}

/** Related lists that have a marked link. */
export function relatedMarks({ columns: { relatedEnds, relatedLinks } }: Chapter, links: Marks): Marks {
  const marks = new Uint8Array(relatedEnds.length)
  if (!links.includes(1)) return marks
  let at = 0
  for (let list = 0; list < marks.length; list += 1) {
    for (const end = relatedEnds[list] as number; at < end; at += 1) if (links[relatedLinks[at] as number]) marks[list] = 1
  }
  return marks
}

/** Sets of labels that have all of the labels with one of their values. Whether a chapter has such words at all is asked first: most of them do not. */
function labelMarks({ words, ends, pairs }: LabelSets, wanted: readonly LabelCriteria[]): Marks {
  const none = new Uint8Array(ends.length)
  const tests: { readonly key: number; readonly meets: (word: number) => boolean }[] = []
  for (const { label, values } of wanted) {
    const key = words.find(label)
    const meets = valueTest(words, values)
    if (key < 0 || !meets) return none
    tests.push({ key, meets })
  }
  const marks = none.fill(1)
  for (const { key, meets } of tests) {
    for (let set = 0, from = 0; set < marks.length; set += 1) {
      const end = ends[set] as number
      if (marks[set]) {
        let at = from
        // A label stands once in a set.
        while (at < end && pairs[at] !== key) at += 2
        marks[set] = Number(at < end && meets(pairs[at + 1] as number))
      }
      from = end
    }
  }
  return marks
}

/** Words that a pattern fits lie between two places, as all of them begin alike; where it says no more than that, all that lie there fit. */
interface PatternRange {
  readonly from: number
  readonly to: number
  readonly isNot: boolean
  /** What else they have to fit, each looked at once however many have it. */
  readonly fits: ((word: number) => boolean) | undefined
}

/** Undefined when no word of the chapter can meet it. */
function valueTest(words: Words, patterns: readonly string[]): ((word: number) => boolean) | undefined {
  const ranges = patterns.map((pattern) => rangeOf(words, pattern))
  if (ranges.every(({ from, to, isNot }) => from >= to && !isNot)) return undefined
  return (word) => {
    for (const { from, to, isNot, fits } of ranges) if ((word >= from && word < to && (!fits || fits(word))) !== isNot) return true
    return false
  }
}

function rangeOf(words: Words, given: string): PatternRange {
  const isNot = given.startsWith('!')
  const pattern = isNot ? given.slice(1) : given
  const wild = pattern.search(/[*?]/)
  if (wild < 0) {
    const place = words.find(pattern)
    return { from: place, to: place < 0 ? place : place + 1, isNot, fits: undefined }
  }
  const [from, to] = words.startingWith(pattern.slice(0, wild))
  return { from, to, isNot, fits: wild === pattern.length - 1 && pattern.endsWith('*') ? undefined : globTest(words, pattern) }
}

const [unlooked, unfit, fit] = [0, 1, 2]

function globTest(words: Words, pattern: string): (word: number) => boolean {
  const seen = new Uint8Array(words.count)
  return (word) => {
    if (seen[word] === unlooked) seen[word] = matchesGlob(words.at(word), pattern) ? fit : unfit
    return seen[word] === fit
  }
}
