import type { Micros } from '../../lib/time.ts'
import { type Column, decodeColumns } from './column-codec.ts'
import { Dictionary } from './dictionary.ts'
import { NgramFilter } from './ngram-filter.ts'

/** A stretch of the log: events that follow each other by position. */
export interface SegmentBounds {
  /** Positions of the first and the last event. */
  readonly first: number
  readonly last: number
  readonly count: number
  readonly oldest: Micros
  readonly newest: Micros
}

/**
 * The events of a stretch, column by column: to ask some thousand of them for anything is a walk through a few lists of numbers, where the log itself
 * would have to read every row. What repeats (names, ids, roles, whole lists of related resources) is there once and referred to by its number.
 */
export interface SegmentColumns {
  /** Of each event: its position from the first, when it occurred, and the numbers of its name, its subject, what that is called, and its related list. */
  readonly positions: Uint32Array
  readonly occurred: Float64Array
  readonly names: Uint16Array
  readonly resources: Uint16Array
  readonly displayNames: Uint16Array
  readonly relatedLists: Uint16Array
  /** Where names, ids of subjects, and what these are called stand among the words; 0 is no call, the others count from 1. */
  readonly nameOrdinals: Uint32Array
  readonly resourceOrdinals: Uint32Array
  readonly displayNameOrdinals: Uint32Array
  /** Related lists: where each ends among their links. */
  readonly relatedEnds: Uint32Array
  readonly relatedLinks: Uint32Array
  /** Links are distinct related resources: the words of their ids and roles. */
  readonly linkIdOrdinals: Uint32Array
  readonly linkRoleOrdinals: Uint32Array
  readonly dictionary: Dictionary
}

/** Sets of labels, as pairs of words: label, value, label, value … */
export interface LabelSets {
  readonly ends: Uint32Array
  readonly pairs: Uint16Array | Uint32Array
  readonly dictionary: Dictionary
}

/** Words as JSON in small letters, a line each: what texts are searched in. */
export interface SearchLines {
  readonly text: Buffer
  readonly ends: Uint32Array
}

/** The labels of the links; few, as links repeat. */
export interface LinkLabels extends LabelSets {
  readonly lines: SearchLines
}

/** The labels of the subjects; many, as states have the time in them. */
export interface ResourceLabelSets extends LabelSets {
  /** Of each event: the number of its set. */
  readonly sets: Uint16Array
}

/** The pieces of the payloads, which a word lies within. */
export interface PayloadTokens {
  /** Of each event: the number of its set of pieces that many have. */
  readonly sets: Uint16Array
  readonly ends: Uint32Array
  readonly pairs: Uint32Array
  readonly common: SearchLines
  /** Of each event: the pieces that few have. */
  readonly rare: SearchLines
  /** Events whose payloads are too long to be here. */
  readonly long: Uint16Array
}

/** Kept apart, as most filters need the first alone. */
export interface SegmentParts {
  readonly columns: SegmentColumns
  readonly links: LinkLabels
  readonly subjects: ResourceLabelSets
  /** The words of the subjects' labels. */
  readonly lines: SearchLines
  readonly payloads: PayloadTokens
  readonly grams: NgramFilter
}

export type SegmentPartName = keyof SegmentParts

export const partNames = ['columns', 'links', 'subjects', 'lines', 'payloads', 'grams'] as const satisfies SegmentPartName[]

/** Reads what `ChapterMaker` wrote; undefined when another version wrote it in another way. */
export function decodeSegmentPart<N extends SegmentPartName>(name: N, bytes: Uint8Array): SegmentParts[N] | undefined {
  const columns = decodeColumns(bytes)
  return columns && (partDecoders[name](columns) as SegmentParts[N])
}

// The order is that of `ChapterMaker.make`.
const partDecoders: { [N in SegmentPartName]: (columns: Column[]) => SegmentParts[N] } = {
  columns: (given) => {
    const [positions, times, names, subjects, calls, relateds, ...rest] = given as [Uint32Array, Float64Array, ...Uint16Array[]]
    const [nameWords, subjectWords, callWords, relatedEnds, relatedLinks, linkIds, linkRoles, ends, text] = rest as unknown as Uint32Array[]
    const ofEvents = { positions, occurred: times, names, resources: subjects, displayNames: calls, relatedLists: relateds } as Pick<
      SegmentColumns,
      'names' | 'resources' | 'displayNames' | 'relatedLists'
    >
    const ofWords = {
      nameOrdinals: nameWords,
      resourceOrdinals: subjectWords,
      displayNameOrdinals: callWords,
      relatedEnds,
      relatedLinks,
      linkIdOrdinals: linkIds,
      linkRoleOrdinals: linkRoles,
    } as Omit<SegmentColumns, keyof typeof ofEvents>
    return { ...ofEvents, ...ofWords, dictionary: new Dictionary(ends as Uint32Array, text as unknown as Uint8Array) }
  },
  links: ([ends, pairs, wordEnds, words, lineEnds, text]) => ({
    ...toLabelSets(ends, pairs, wordEnds, words),
    lines: toSearchLines(lineEnds, text),
  }),
  subjects: ([sets, ends, pairs, wordEnds, words]) => ({ sets: sets as Uint16Array, ...toLabelSets(ends, pairs, wordEnds, words) }),
  lines: ([ends, text]) => toSearchLines(ends, text),
  payloads: ([sets, ends, pairs, commonEnds, common, rareEnds, rare, long]) => ({
    sets: sets as Uint16Array,
    ends: ends as Uint32Array,
    pairs: pairs as Uint32Array,
    common: toSearchLines(commonEnds, common),
    rare: toSearchLines(rareEnds, rare),
    long: long as Uint16Array,
  }),
  grams: ([payloads, labels]) => new NgramFilter(payloads as Uint32Array, labels as Uint32Array),
}

const toLabelSets = (ends?: Column, pairs?: Column, wordEnds?: Column, words?: Column): LabelSets => ({
  ends: ends as Uint32Array,
  pairs: pairs as Uint16Array,
  dictionary: new Dictionary(wordEnds as Uint32Array, words as Uint8Array),
})

function toSearchLines(ends?: Column, text?: Column): SearchLines {
  const { buffer, byteOffset, byteLength } = text as Uint8Array
  return { ends: ends as Uint32Array, text: Buffer.from(buffer, byteOffset, byteLength) }
}
