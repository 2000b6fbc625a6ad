import type { TextSearch } from '../../lib/text-search.ts'
import { yieldToEventLoop } from '../../lib/time-slice.ts'
import type { Db } from '../../storage/database.ts'
import { readEventsByPosition } from '../log-reader.ts'
import type { EventRow } from '../store.ts'
import { type Mask, nameMask, relatedListMask } from './match-segment.ts'
import type { LabelSets, SearchLines } from './segment.ts'
import type { SegmentIndex } from './segment-index.ts'
import type { Segment } from './segment-store.ts'

/** Rows that are read together. */
const readBatchSize = 256

/**
 * A term without these characters is always within one name, label, value or payload token, because quotes separate them. Terms with these characters are
 * searched in the rows.
 */
const structuralCharacters = /["\\{}[\]]|^[:, ]+$/

/** Removes events from the mask that do not match a text search. False when none is left. */
export async function filterBySearch(
  db: Db,
  segmentIndex: SegmentIndex,
  segment: Segment,
  mask: Mask,
  { any, all, none }: TextSearch,
): Promise<boolean> {
  const [only] = any
  if (any.length === 1 && only !== undefined) await filterByTerm(db, segmentIndex, segment, mask, only)
  else if (any.length > 1) {
    const open = mask.slice()
    for (const term of any) {
      const found = open.slice()
      await filterByTerm(db, segmentIndex, segment, found, term)
      subtractMask(open, found)
    }
    // `open` now holds the events without any of the terms.
    subtractMask(mask, open)
  }
  for (const term of all) if (mask.includes(1)) await filterByTerm(db, segmentIndex, segment, mask, term)
  for (const term of none) {
    const found = mask.slice()
    if (found.includes(1)) await filterByTerm(db, segmentIndex, segment, found, term)
    subtractMask(mask, found)
  }
  return mask.includes(1)
}

function subtractMask(mask: Mask, excluded: Mask): void {
  for (let i = 0; i < mask.length; i += 1) if (excluded[i]) mask[i] = 0
}

/** Removes events from the mask that do not contain a term. */
async function filterByTerm(db: Db, segmentIndex: SegmentIndex, segment: Segment, mask: Mask, searchTerm: string): Promise<void> {
  const term = searchTerm.toLowerCase()
  const open = mask.slice()
  const found = new Uint8Array(mask.length)
  segmentIndex.searchCache.read(term, segment, open, found)
  if (open.includes(1)) {
    const { searched, matches } = structuralCharacters.test(term)
      ? await searchRows(db, segment, open, term)
      : await searchParts(db, segmentIndex, segment, open, term)
    segmentIndex.searchCache.write(term, segment, searched, matches)
    for (let i = 0; i < found.length; i += 1) found[i] = (found[i] as number) | ((open[i] as number) & (matches[i] as number))
  }
  for (let i = 0; i < mask.length; i += 1) mask[i] = (mask[i] as number) & (found[i] as number)
}

/** The events that were searched (at least the requested ones), and those that contain the term. */
interface SearchResult {
  readonly searched: Mask
  readonly matches: Mask
}

async function searchRows(db: Db, segment: Segment, requested: Mask, term: string): Promise<SearchResult> {
  const matches = requested.slice()
  const textOf = ({ event, resource, related, payload }: EventRow) => `${event} ${resource} ${related} ${payload}`
  await filterRows(db, segment, matches, (row) => textOf(row).toLowerCase().includes(term))
  return { searched: requested, matches }
}

async function searchParts(db: Db, segmentIndex: SegmentIndex, segment: Segment, requested: Mask, term: string): Promise<SearchResult> {
  const searched = new Uint8Array(requested.length).fill(1)
  const matches = (await searchLabels(segmentIndex, segment, term)) ?? new Uint8Array(requested.length)
  const blocks = segment.grams.candidateBlocks(term)
  if (blocks === 0) return { searched, matches }
  const { payloads } = await segmentIndex.loadParts(segment, ['payloads'])
  const rare = findLines(payloads.rare, term)
  const sets = findSets(payloads, findLines(payloads.common, term))
  for (let i = 0; i < matches.length; i += 1) {
    matches[i] = (matches[i] as number) | (rare[i] as number) | (sets[payloads.sets[i] as number] as number)
  }
  if (payloads.long.length > 0)
    await searchLongPayloads(
      db,
      segment,
      { searched, matches },
      payloads.long,
      requested,
      (i) => (blocks >>> Math.floor(i / segment.grams.blockSize)) & 1,
      term,
    )
  return { searched, matches }
}

/** Searches payloads that are only in the rows. Reads only requested events whose block may contain the term. */
async function searchLongPayloads(
  db: Db,
  segment: Segment,
  { searched, matches }: SearchResult,
  long: Uint16Array,
  requested: Mask,
  mayContain: (event: number) => number,
  term: string,
): Promise<void> {
  const open = new Uint8Array(requested.length)
  for (const i of long) {
    if (matches[i]) continue
    open[i] = (requested[i] as number) & mayContain(i)
    searched[i] = (requested[i] as number) | (1 - mayContain(i))
  }
  await filterRows(db, segment, open, ({ payload }) => payload.toLowerCase().includes(term))
  for (let i = 0; i < open.length; i += 1) matches[i] = (matches[i] as number) | (open[i] as number)
}

/** Events with the term in their name or in a label; undefined when there are none. */
async function searchLabels(segmentIndex: SegmentIndex, segment: Segment, term: string): Promise<Mask | undefined> {
  const { columns, links, grams } = segment
  const names = nameMask(segment, (name) => name.toLowerCase().includes(term))
  const lists = relatedListMask(segment, findSets(links, findLines(links.lines, term)))
  let sets: Mask | undefined
  let setIndexes: Uint16Array | undefined
  if (grams.mayContainLabel(term)) {
    const { lines } = await segmentIndex.loadParts(segment, ['lines'])
    const found = findLines(lines, term)
    if (found.includes(1)) {
      const { subjects } = await segmentIndex.loadParts(segment, ['subjects'])
      sets = findSets(subjects, found)
      setIndexes = subjects.sets
    }
  }
  if (!sets && !names.includes(1) && !lists.includes(1)) return undefined
  const mask = new Uint8Array(columns.names.length)
  for (let i = 0; i < mask.length; i += 1) {
    const primary = sets && setIndexes ? (sets[setIndexes[i] as number] as number) : 0
    mask[i] = (names[columns.names[i] as number] as number) | primary | (lists[columns.relatedLists[i] as number] as number)
  }
  return mask
}

/** The lines that contain the term. */
function findLines({ text, ends }: SearchLines, term: string): Mask {
  const mask = new Uint8Array(ends.length)
  const wanted = Buffer.from(term)
  let line = 0
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, ends[line])) {
    line = lineIndexAt(ends, at, line)
    mask[line] = 1
  }
  return mask
}

function lineIndexAt(ends: Uint32Array, at: number, from: number): number {
  let low = from
  let high = ends.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ends[middle] as number) > at) high = middle
    else low = middle + 1
  }
  return low
}

/** The sets with a member in the mask. */
function findSets({ ends, pairs }: Pick<LabelSets, 'ends' | 'pairs'>, members: Mask): Mask {
  const mask = new Uint8Array(ends.length)
  if (!members.includes(1)) return mask
  let at = 0
  for (let set = 0; set < mask.length; set += 1) {
    for (const end = ends[set] as number; at < end; at += 1) if (members[pairs[at] as number]) mask[set] = 1
  }
  return mask
}

async function filterRows(db: Db, { first, columns: { positions } }: Segment, mask: Mask, predicate: (row: EventRow) => boolean): Promise<void> {
  const open: number[] = []
  for (let i = mask.indexOf(1); i >= 0; i = mask.indexOf(1, i + 1)) open.push(i)
  for (let from = 0; from < open.length; from += readBatchSize) {
    const batch = open.slice(from, from + readBatchSize)
    const positionOf = (i: number) => (positions[i] as number) + first
    const rows = await readEventsByPosition(db, batch.map(positionOf))
    const found = new Set(rows.flatMap((row) => (predicate(row) ? [row.position] : [])))
    for (const i of batch) mask[i] = Number(found.has(positionOf(i)))
    await yieldToEventLoop()
  }
}
