import type { TextSearch } from '../../lib/text-search.ts'
import { yieldToEventLoop } from '../../lib/time-slice.ts'
import { type Db, type Statement, statement } from '../../storage/database.ts'
import type { Dialect } from '../../storage/dialect.ts'
import { type Mask, nameMask, relatedListMask } from './match-segment.ts'
import type { Segment } from './open-segment.ts'
import type { LabelSets, SearchLines } from './segment.ts'
import type { SegmentIndex } from './segment-index.ts'
import { blockSizeOf } from './segment-writer.ts'

interface SearchRow {
  readonly position: number
  readonly event: string
  readonly resource: string
  readonly related: string
  readonly payload: string
}

const selectRows = (dialect: Dialect, columns: string) =>
  `select ${columns} from event where ${dialect.inList('position', '$1', 'int')} and occurred >= $2 and occurred <= $3`
const wholeRows = statement((dialect) => selectRows(dialect, 'position, event, resource, related, payload'))
const payloadRows = statement((dialect) => selectRows(dialect, 'position, payload'))
const readBatchSize = 500

/**
 * A word with none of these lies within one name, label or value, or within a payload: nowhere can it reach from one into the next, as there is a quote
 * between any two. Others are looked for in the rows themselves.
 */
const structuralCharacters = /["\\{}[\]]|^[:, ]+$/

/** Keeps the marks of events that a text search finds; whether any is left. */
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
    for (const word of any) {
      const found = open.slice()
      await filterByTerm(db, segmentIndex, segment, found, word)
      subtractMask(open, found)
    }
    // What none of the words is in is still open.
    subtractMask(mask, open)
  }
  for (const word of all) if (mask.includes(1)) await filterByTerm(db, segmentIndex, segment, mask, word)
  for (const word of none) {
    const found = mask.slice()
    if (found.includes(1)) await filterByTerm(db, segmentIndex, segment, found, word)
    subtractMask(mask, found)
  }
  return mask.includes(1)
}

function subtractMask(mask: Mask, others: Mask): void {
  for (let i = 0; i < mask.length; i += 1) if (others[i]) mask[i] = 0
}

/** Keeps the marks of events that mention a word. */
async function filterByTerm(db: Db, segmentIndex: SegmentIndex, segment: Segment, mask: Mask, given: string): Promise<void> {
  const word = given.toLowerCase()
  const open = mask.slice()
  const found = new Uint8Array(mask.length)
  segmentIndex.searchCache.read(word, segment, open, found)
  if (open.includes(1)) {
    const { searched: looked, matches: mentions } = structuralCharacters.test(word)
      ? await searchRows(db, segment, open, word)
      : await searchParts(db, segmentIndex, segment, open, word)
    segmentIndex.searchCache.write(word, segment, looked, mentions)
    for (let i = 0; i < found.length; i += 1) found[i] = (found[i] as number) | ((open[i] as number) & (mentions[i] as number))
  }
  for (let i = 0; i < mask.length; i += 1) mask[i] = (mask[i] as number) & (found[i] as number)
}

/** Which events were looked at, those that were asked for at least, and which of them have the word. */
interface SearchResult {
  readonly searched: Mask
  readonly matches: Mask
}

async function searchRows(db: Db, segment: Segment, requested: Mask, term: string): Promise<SearchResult> {
  const mentions = requested.slice()
  const textOf = ({ event, resource, related, payload }: SearchRow) => `${event} ${resource} ${related} ${payload}`
  await filterRows(db, segment, mentions, wholeRows, (row) => textOf(row).toLowerCase().includes(term))
  return { searched: requested, matches: mentions }
}

async function searchParts(db: Db, segmentIndex: SegmentIndex, segment: Segment, requested: Mask, term: string): Promise<SearchResult> {
  const looked = new Uint8Array(requested.length).fill(1)
  const mentions = (await searchLabels(segmentIndex, segment, term)) ?? new Uint8Array(requested.length)
  const blocks = segment.grams.candidateBlocks(term)
  if (blocks === 0) return { searched: looked, matches: mentions }
  const { payloads } = await segmentIndex.loadParts(segment, ['payloads'])
  const rare = findLines(payloads.rare, term)
  const sets = findSets(payloads, findLines(payloads.common, term))
  for (let i = 0; i < mentions.length; i += 1) {
    mentions[i] = (mentions[i] as number) | (rare[i] as number) | (sets[payloads.sets[i] as number] as number)
  }
  if (payloads.long.length > 0)
    await searchLongPayloads(
      db,
      segment,
      { searched: looked, matches: mentions },
      payloads.long,
      requested,
      (i) => (blocks >>> Math.floor(i / blockSizeOf(segmentIndex.size))) & 1,
      term,
    )
  return { searched: looked, matches: mentions }
}

/** Payloads that are in the log alone are read only where somebody asks for their events and the word may be. */
async function searchLongPayloads(
  db: Db,
  segment: Segment,
  { searched: looked, matches: mentions }: SearchResult,
  long: Uint16Array,
  requested: Mask,
  mayHave: (event: number) => number,
  term: string,
): Promise<void> {
  const open = new Uint8Array(requested.length)
  for (const i of long) {
    if (mentions[i]) continue
    open[i] = (requested[i] as number) & mayHave(i)
    looked[i] = (requested[i] as number) | (1 - mayHave(i))
  }
  await filterRows(db, segment, open, payloadRows, ({ payload }) => payload.toLowerCase().includes(term))
  for (let i = 0; i < open.length; i += 1) mentions[i] = (mentions[i] as number) | (open[i] as number)
}

/** Events with the word in their name or in a label of their resources; undefined when there are none. */
async function searchLabels(segmentIndex: SegmentIndex, segment: Segment, term: string): Promise<Mask | undefined> {
  const { columns, links, grams } = segment
  const named = nameMask(segment, (name) => name.toLowerCase().includes(term))
  const lists = relatedListMask(segment, findSets(links, findLines(links.lines, term)))
  let sets: Mask | undefined
  let numbers: Uint16Array | undefined
  if (grams.mayContainLabel(term)) {
    const { lines } = await segmentIndex.loadParts(segment, ['lines'])
    const found = findLines(lines, term)
    if (found.includes(1)) {
      const { subjects } = await segmentIndex.loadParts(segment, ['subjects'])
      sets = findSets(subjects, found)
      numbers = subjects.sets
    }
  }
  if (!sets && !named.includes(1) && !lists.includes(1)) return undefined
  const mask = new Uint8Array(columns.names.length)
  for (let i = 0; i < mask.length; i += 1) {
    const about = sets && numbers ? (sets[numbers[i] as number] as number) : 0
    mask[i] = (named[columns.names[i] as number] as number) | about | (lists[columns.relatedLists[i] as number] as number)
  }
  return mask
}

/** The lines that have the text. */
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

/** The sets with a label or value among the words. */
function findSets({ ends, pairs }: Pick<LabelSets, 'ends' | 'pairs'>, words: Mask): Mask {
  const mask = new Uint8Array(ends.length)
  if (!words.includes(1)) return mask
  let at = 0
  for (let set = 0; set < mask.length; set += 1) {
    for (const end = ends[set] as number; at < end; at += 1) if (words[pairs[at] as number]) mask[set] = 1
  }
  return mask
}

async function filterRows(
  db: Db,
  { first, columns: { positions }, oldest, newest }: Segment,
  mask: Mask,
  rows: Statement,
  predicate: (row: SearchRow) => boolean,
): Promise<void> {
  const open: number[] = []
  for (let i = mask.indexOf(1); i >= 0; i = mask.indexOf(1, i + 1)) open.push(i)
  for (let from = 0; from < open.length; from += readBatchSize) {
    const some = open.slice(from, from + readBatchSize)
    const positionOf = (i: number) => (positions[i] as number) + first
    const read = await db.all<SearchRow>(rows, [db.dialect.list(some.map(positionOf)), oldest, newest])
    const found = new Set(read.flatMap((row) => (predicate(row) ? [row.position] : [])))
    for (const i of some) mask[i] = Number(found.has(positionOf(i)))
    await yieldToEventLoop()
  }
}
