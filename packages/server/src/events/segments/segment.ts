import type { Micros } from '../../lib/time.ts'
import { type Column, decodeColumns, decompress } from './column-codec.ts'
import { Dictionary } from './dictionary.ts'
import { legacyBlockSize, NgramFilter } from './ngram-filter.ts'
import { decodeSummary, type SummaryEntry } from './summary.ts'

/** A range of consecutive log positions. */
export interface SegmentBounds {
  /** Positions of the first and last event. */
  readonly first: number
  readonly last: number
  readonly count: number
  readonly oldest: Micros
  readonly newest: Micros
}

/**
 * The events of a segment as columns. A filter scans a few typed arrays instead of reading every row of the log. Repeated values (names, ids, roles, whole
 * lists of related resources) are stored once and referenced by number.
 */
export interface SegmentColumns {
  /** Per event: position relative to the first, time, and the indexes of name, primary resource, display name and related list. */
  readonly positions: Uint32Array
  readonly occurred: Float64Array
  readonly names: Uint16Array
  readonly resources: Uint16Array
  readonly displayNames: Uint16Array
  readonly relatedLists: Uint16Array
  /** Dictionary ordinals of names, resource ids and display names. For display names 0 means none, and others are ordinal + 1. */
  readonly nameOrdinals: Uint32Array
  readonly resourceOrdinals: Uint32Array
  readonly displayNameOrdinals: Uint32Array
  /** The end of each related list in `relatedLinks`. */
  readonly relatedEnds: Uint32Array
  readonly relatedLinks: Uint32Array
  /** Links are the distinct related resources: dictionary ordinals of their ids and roles. */
  readonly linkIdOrdinals: Uint32Array
  readonly linkRoleOrdinals: Uint32Array
  readonly dictionary: Dictionary
}

/** Sets of labels, as pairs of dictionary ordinals: label, value, label, value … */
export interface LabelSets {
  readonly ends: Uint32Array
  readonly pairs: Uint16Array | Uint32Array
  readonly dictionary: Dictionary
}

/** Dictionary entries as lower-case JSON, one per line. Text search scans them. */
export interface SearchLines {
  readonly text: Buffer
  readonly ends: Uint32Array
}

/** The labels of related resources. Few, because links repeat. */
export interface LinkLabels extends LabelSets {
  readonly lines: SearchLines
}

/** The labels of primary resources. Many, because state labels contain times. */
export interface ResourceLabelSets extends LabelSets {
  /** Per event: the index of its label set. */
  readonly sets: Uint16Array
}

/** The tokens of the payloads (see payload-tokenizer.ts). */
export interface PayloadTokens {
  /** Per event: the index of its set of common tokens. */
  readonly sets: Uint16Array
  readonly ends: Uint32Array
  readonly pairs: Uint32Array
  readonly common: SearchLines
  /** Per event: its rare tokens. */
  readonly rare: SearchLines
  /** Events whose payload is too long to be stored here. It is searched in the rows. */
  readonly long: Uint16Array
}

/** The parts are stored separately, because most filters need only `columns`. The keys are values of `event_segment_part.part`. */
export interface SegmentParts {
  readonly columns: SegmentColumns
  readonly links: LinkLabels
  readonly subjects: ResourceLabelSets
  /** The dictionary of `subjects`, for text search. */
  readonly lines: SearchLines
  readonly payloads: PayloadTokens
  readonly grams: NgramFilter
  readonly summary: readonly SummaryEntry[]
  /** Hashes of the ids of all resources, for the filter that tells which segments to read. */
  readonly resources: Uint32Array
}

export type SegmentPartName = keyof SegmentParts

export const partNames = ['columns', 'links', 'subjects', 'lines', 'payloads', 'grams', 'summary', 'resources'] as const satisfies SegmentPartName[]

export interface DecodedPart<N extends SegmentPartName> {
  readonly part: SegmentParts[N]
  /** The memory that the part takes, several times that of the stored bytes. */
  readonly bytes: number
}

/** Decodes what `SegmentWriter` encoded. Undefined for another layout version. */
export function decodeSegmentPart<N extends SegmentPartName>(name: N, bytes: Uint8Array): DecodedPart<N> | undefined {
  const raw = decompress(bytes)
  const columns = decodeColumns(raw)
  return columns && { part: partDecoders[name](columns) as SegmentParts[N], bytes: raw.byteLength }
}

// The column order is that of `SegmentWriter`.
const partDecoders: { [N in SegmentPartName]: (columns: Column[]) => SegmentParts[N] } = {
  columns: (encoded) => {
    const [positions, occurred, names, resources, displayNames, relatedLists, ...rest] = encoded as [Uint32Array, Float64Array, ...Uint16Array[]]
    const [nameOrdinals, resourceOrdinals, displayNameOrdinals, relatedEnds, relatedLinks, linkIdOrdinals, linkRoleOrdinals, ends, text] =
      rest as unknown as Uint32Array[]
    const eventColumns = { positions, occurred, names, resources, displayNames, relatedLists } as Pick<
      SegmentColumns,
      'names' | 'resources' | 'displayNames' | 'relatedLists'
    >
    const ordinalColumns = {
      nameOrdinals,
      resourceOrdinals,
      displayNameOrdinals,
      relatedEnds,
      relatedLinks,
      linkIdOrdinals,
      linkRoleOrdinals,
    } as Omit<SegmentColumns, keyof typeof eventColumns>
    return { ...eventColumns, ...ordinalColumns, dictionary: new Dictionary(ends as Uint32Array, text as unknown as Uint8Array) }
  },
  links: ([ends, pairs, dictionaryEnds, dictionaryBytes, lineEnds, text]) => ({
    ...toLabelSets(ends, pairs, dictionaryEnds, dictionaryBytes),
    lines: toSearchLines(lineEnds, text),
  }),
  subjects: ([sets, ends, pairs, dictionaryEnds, dictionaryBytes]) => ({
    sets: sets as Uint16Array,
    ...toLabelSets(ends, pairs, dictionaryEnds, dictionaryBytes),
  }),
  lines: ([ends, text]) => toSearchLines(ends, text),
  payloads: ([sets, ends, pairs, commonEnds, common, rareEnds, rare, long]) => ({
    sets: sets as Uint16Array,
    ends: ends as Uint32Array,
    pairs: pairs as Uint32Array,
    common: toSearchLines(commonEnds, common),
    rare: toSearchLines(rareEnds, rare),
    long: long as Uint16Array,
  }),
  grams: ([payloads, labels, blockSize]) => new NgramFilter(blockSize?.[0] ?? legacyBlockSize, payloads as Uint32Array, labels as Uint32Array),
  summary: decodeSummary,
  resources: ([keys]) => keys as Uint32Array,
}

const toLabelSets = (ends?: Column, pairs?: Column, dictionaryEnds?: Column, dictionaryBytes?: Column): LabelSets => ({
  ends: ends as Uint32Array,
  pairs: pairs as Uint16Array,
  dictionary: new Dictionary(dictionaryEnds as Uint32Array, dictionaryBytes as Uint8Array),
})

function toSearchLines(ends?: Column, text?: Column): SearchLines {
  const { buffer, byteOffset, byteLength } = text as Uint8Array
  return { ends: ends as Uint32Array, text: Buffer.from(buffer, byteOffset, byteLength) }
}
