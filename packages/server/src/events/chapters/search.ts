import type { TextSearch } from '../../lib/text-search.ts'
import { yieldToEventLoop } from '../../lib/yield-to-event-loop.ts'
import { type Db, type Statement, statement } from '../../storage/database.ts'
import type { Dialect } from '../../storage/dialect.ts'
import type { LabelSets, Lines } from './chapter.ts'
import { blockSizeOf } from './make-chapter.ts'
import { type Marks, nameMarks, relatedMarks } from './match.ts'
import type { Chapter } from './open-chapter.ts'
import type { Shelf } from './shelf.ts'

interface SearchedRow {
  readonly position: number
  readonly event: string
  readonly resource: string
  readonly related: string
  readonly payload: string
}

const rowsAt = (dialect: Dialect, columns: string) =>
  `select ${columns} from event where ${dialect.inList('position', '$1', 'int')} and occurred >= $2 and occurred <= $3`
const whole = statement((dialect) => rowsAt(dialect, 'position, event, resource, related, payload'))
const payloadsAt = statement((dialect) => rowsAt(dialect, 'position, payload'))
const rowsAtOnce = 500

/**
 * A word with none of these lies within one name, label or value, or within a payload: nowhere can it reach from one into the next, as there is a quote
 * between any two. Others are looked for in the rows themselves.
 */
const structural = /["\\{}[\]]|^[:, ]+$/

/** Keeps the marks of events that a text search finds; whether any is left. */
export async function keepFound(db: Db, shelf: Shelf, chapter: Chapter, marks: Marks, { any, all, none }: TextSearch): Promise<boolean> {
  const [only] = any
  if (any.length === 1 && only !== undefined) await keepMentions(db, shelf, chapter, marks, only)
  else if (any.length > 1) {
    const open = marks.slice()
    for (const word of any) {
      const found = open.slice()
      await keepMentions(db, shelf, chapter, found, word)
      remove(open, found)
    }
    // What none of the words is in is still open.
    remove(marks, open)
  }
  for (const word of all) if (marks.includes(1)) await keepMentions(db, shelf, chapter, marks, word)
  for (const word of none) {
    const found = marks.slice()
    if (found.includes(1)) await keepMentions(db, shelf, chapter, found, word)
    remove(marks, found)
  }
  return marks.includes(1)
}

function remove(marks: Marks, others: Marks): void {
  for (let i = 0; i < marks.length; i += 1) if (others[i]) marks[i] = 0
}

/** Keeps the marks of events that mention a word. */
async function keepMentions(db: Db, shelf: Shelf, chapter: Chapter, marks: Marks, given: string): Promise<void> {
  const word = given.toLowerCase()
  const open = marks.slice()
  const found = new Uint8Array(marks.length)
  shelf.finds.recall(word, chapter, open, found)
  if (open.includes(1)) {
    const { looked, mentions } = structural.test(word) ? await lookInRows(db, chapter, open, word) : await lookInParts(db, shelf, chapter, open, word)
    shelf.finds.remember(word, chapter, looked, mentions)
    for (let i = 0; i < found.length; i += 1) found[i] = (found[i] as number) | ((open[i] as number) & (mentions[i] as number))
  }
  for (let i = 0; i < marks.length; i += 1) marks[i] = (marks[i] as number) & (found[i] as number)
}

/** Which events were looked at, those that were asked for at least, and which of them have the word. */
interface Looked {
  readonly looked: Marks
  readonly mentions: Marks
}

async function lookInRows(db: Db, chapter: Chapter, asked: Marks, word: string): Promise<Looked> {
  const mentions = asked.slice()
  const textOf = ({ event, resource, related, payload }: SearchedRow) => `${event} ${resource} ${related} ${payload}`
  await keepRows(db, chapter, mentions, whole, (row) => textOf(row).toLowerCase().includes(word))
  return { looked: asked, mentions }
}

async function lookInParts(db: Db, shelf: Shelf, chapter: Chapter, asked: Marks, word: string): Promise<Looked> {
  const looked = new Uint8Array(asked.length).fill(1)
  const mentions = (await mentionedInLabels(shelf, chapter, word)) ?? new Uint8Array(asked.length)
  const blocks = chapter.grams.blocksWith(word)
  if (blocks === 0) return { looked, mentions }
  const { payloads } = await shelf.complete(chapter, ['payloads'])
  const rare = linesWith(payloads.rare, word)
  const sets = setsWith(payloads, linesWith(payloads.common, word))
  for (let i = 0; i < mentions.length; i += 1) {
    mentions[i] = (mentions[i] as number) | (rare[i] as number) | (sets[payloads.sets[i] as number] as number)
  }
  if (payloads.long.length > 0)
    await lookInLong(db, chapter, { looked, mentions }, payloads.long, asked, (i) => (blocks >>> Math.floor(i / blockSizeOf(shelf.size))) & 1, word)
  return { looked, mentions }
}

/** Payloads that are in the log alone are read only where somebody asks for their events and the word may be. */
async function lookInLong(
  db: Db,
  chapter: Chapter,
  { looked, mentions }: Looked,
  long: Uint16Array,
  asked: Marks,
  mayHave: (event: number) => number,
  word: string,
): Promise<void> {
  const open = new Uint8Array(asked.length)
  for (const i of long) {
    if (mentions[i]) continue
    open[i] = (asked[i] as number) & mayHave(i)
    looked[i] = (asked[i] as number) | (1 - mayHave(i))
  }
  await keepRows(db, chapter, open, payloadsAt, ({ payload }) => payload.toLowerCase().includes(word))
  for (let i = 0; i < open.length; i += 1) mentions[i] = (mentions[i] as number) | (open[i] as number)
}

/** Events with the word in their name or in a label of their resources; undefined when there are none. */
async function mentionedInLabels(shelf: Shelf, chapter: Chapter, word: string): Promise<Marks | undefined> {
  const { columns, links, grams } = chapter
  const named = nameMarks(chapter, (name) => name.toLowerCase().includes(word))
  const lists = relatedMarks(chapter, setsWith(links, linesWith(links.lines, word)))
  let sets: Marks | undefined
  let numbers: Uint16Array | undefined
  if (grams.mayLabel(word)) {
    const { lines } = await shelf.complete(chapter, ['lines'])
    const found = linesWith(lines, word)
    if (found.includes(1)) {
      const { subjects } = await shelf.complete(chapter, ['subjects'])
      sets = setsWith(subjects, found)
      numbers = subjects.sets
    }
  }
  if (!sets && !named.includes(1) && !lists.includes(1)) return undefined
  const marks = new Uint8Array(columns.names.length)
  for (let i = 0; i < marks.length; i += 1) {
    const about = sets && numbers ? (sets[numbers[i] as number] as number) : 0
    marks[i] = (named[columns.names[i] as number] as number) | about | (lists[columns.relateds[i] as number] as number)
  }
  return marks
}

/** The lines that have the text. */
function linesWith({ text, ends }: Lines, word: string): Marks {
  const marks = new Uint8Array(ends.length)
  const wanted = Buffer.from(word)
  let line = 0
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, ends[line])) {
    line = lineAt(ends, at, line)
    marks[line] = 1
  }
  return marks
}

function lineAt(ends: Uint32Array, at: number, from: number): number {
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
function setsWith({ ends, pairs }: Pick<LabelSets, 'ends' | 'pairs'>, words: Marks): Marks {
  const marks = new Uint8Array(ends.length)
  if (!words.includes(1)) return marks
  let at = 0
  for (let set = 0; set < marks.length; set += 1) {
    for (const end = ends[set] as number; at < end; at += 1) if (words[pairs[at] as number]) marks[set] = 1
  }
  return marks
}

async function keepRows(
  db: Db,
  { first, columns: { positions }, oldest, newest }: Chapter,
  marks: Marks,
  rows: Statement,
  holds: (row: SearchedRow) => boolean,
): Promise<void> {
  const open: number[] = []
  for (let i = marks.indexOf(1); i >= 0; i = marks.indexOf(1, i + 1)) open.push(i)
  for (let from = 0; from < open.length; from += rowsAtOnce) {
    const some = open.slice(from, from + rowsAtOnce)
    const positionOf = (i: number) => (positions[i] as number) + first
    const read = await db.all<SearchedRow>(rows, [db.dialect.list(some.map(positionOf)), oldest, newest])
    const found = new Set(read.flatMap((row) => (holds(row) ? [row.position] : [])))
    for (const i of some) marks[i] = Number(found.has(positionOf(i)))
    await yieldToEventLoop()
  }
}
