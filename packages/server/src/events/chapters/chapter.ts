import type { Micros } from '../../lib/time.ts'
import { type Column, unpackColumns } from './columns-file.ts'
import { Grams } from './grams.ts'
import { Words } from './words.ts'

/** A stretch of the log: events that follow each other by position. */
export interface Bounds {
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
export interface Columns {
  /** Of each event: its position from the first, when it occurred, and the numbers of its name, its subject, what that is called, and its related list. */
  readonly positions: Uint32Array
  readonly occurred: Float64Array
  readonly names: Uint16Array
  readonly subjects: Uint16Array
  readonly calls: Uint16Array
  readonly relateds: Uint16Array
  /** Where names, ids of subjects, and what these are called stand among the words; 0 is no call, the others count from 1. */
  readonly nameWords: Uint32Array
  readonly subjectWords: Uint32Array
  readonly callWords: Uint32Array
  /** Related lists: where each ends among their links. */
  readonly relatedEnds: Uint32Array
  readonly relatedLinks: Uint32Array
  /** Links are distinct related resources: the words of their ids and roles. */
  readonly linkIds: Uint32Array
  readonly linkRoles: Uint32Array
  readonly words: Words
}

/** Sets of labels, as pairs of words: label, value, label, value … */
export interface LabelSets {
  readonly ends: Uint32Array
  readonly pairs: Uint16Array | Uint32Array
  readonly words: Words
}

/** Words as JSON in small letters, a line each: what texts are searched in. */
export interface Lines {
  readonly text: Buffer
  readonly ends: Uint32Array
}

/** The labels of the links; few, as links repeat. */
export interface Links extends LabelSets {
  readonly lines: Lines
}

/** The labels of the subjects; many, as states have the time in them. */
export interface Subjects extends LabelSets {
  /** Of each event: the number of its set. */
  readonly sets: Uint16Array
}

/** The pieces of the payloads, which a word lies within. */
export interface Payloads {
  /** Of each event: the number of its set of pieces that many have. */
  readonly sets: Uint16Array
  readonly ends: Uint32Array
  readonly pairs: Uint32Array
  readonly common: Lines
  /** Of each event: the pieces that few have. */
  readonly rare: Lines
  /** Events whose payloads are too long to be here. */
  readonly long: Uint16Array
}

/** Kept apart, as most filters need the first alone. */
export interface ChapterParts {
  readonly columns: Columns
  readonly links: Links
  readonly subjects: Subjects
  /** The words of the subjects' labels. */
  readonly lines: Lines
  readonly payloads: Payloads
  readonly grams: Grams
}

export type PartName = keyof ChapterParts

export const partNames = ['columns', 'links', 'subjects', 'lines', 'payloads', 'grams'] as const satisfies PartName[]

/** Reads what `ChapterMaker` wrote; undefined when another version wrote it in another way. */
export function readChapterPart<N extends PartName>(name: N, bytes: Uint8Array): ChapterParts[N] | undefined {
  const columns = unpackColumns(bytes)
  return columns && (readers[name](columns) as ChapterParts[N])
}

// The order is that of `ChapterMaker.make`.
const readers: { [N in PartName]: (columns: Column[]) => ChapterParts[N] } = {
  columns: (given) => {
    const [positions, times, names, subjects, calls, relateds, ...rest] = given as [Uint32Array, Float64Array, ...Uint16Array[]]
    const [nameWords, subjectWords, callWords, relatedEnds, relatedLinks, linkIds, linkRoles, ends, text] = rest as unknown as Uint32Array[]
    const ofEvents = { positions, occurred: times, names, subjects, calls, relateds } as Pick<Columns, 'names' | 'subjects' | 'calls' | 'relateds'>
    const ofWords = { nameWords, subjectWords, callWords, relatedEnds, relatedLinks, linkIds, linkRoles } as Omit<Columns, keyof typeof ofEvents>
    return { ...ofEvents, ...ofWords, words: new Words(ends as Uint32Array, text as unknown as Uint8Array) }
  },
  links: ([ends, pairs, wordEnds, words, lineEnds, text]) => ({
    ...labelSets(ends, pairs, wordEnds, words),
    lines: linesOf(lineEnds, text),
  }),
  subjects: ([sets, ends, pairs, wordEnds, words]) => ({ sets: sets as Uint16Array, ...labelSets(ends, pairs, wordEnds, words) }),
  lines: ([ends, text]) => linesOf(ends, text),
  payloads: ([sets, ends, pairs, commonEnds, common, rareEnds, rare, long]) => ({
    sets: sets as Uint16Array,
    ends: ends as Uint32Array,
    pairs: pairs as Uint32Array,
    common: linesOf(commonEnds, common),
    rare: linesOf(rareEnds, rare),
    long: long as Uint16Array,
  }),
  grams: ([payloads, labels]) => new Grams(payloads as Uint32Array, labels as Uint32Array),
}

const labelSets = (ends?: Column, pairs?: Column, wordEnds?: Column, words?: Column): LabelSets => ({
  ends: ends as Uint32Array,
  pairs: pairs as Uint16Array,
  words: new Words(wordEnds as Uint32Array, words as Uint8Array),
})

function linesOf(ends?: Column, text?: Column): Lines {
  const { buffer, byteOffset, byteLength } = text as Uint8Array
  return { ends: ends as Uint32Array, text: Buffer.from(buffer, byteOffset, byteLength) }
}
