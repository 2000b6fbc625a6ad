import { type Db, statement, type Tx } from './database.ts'

/**
 * Finds flow runs by a part of their name on SQLite (ADR 0061). Triggers write each new name to `run_name`. From there names move to blocks, which an index
 * finds by three characters in a row. A search reads the blocks that have all of its characters, and the names that are in no block yet; so it knows all runs that may
 * match. Whether they do is checked on the runs themselves, which may be deleted or have another name since.
 */
const blockSize = 128

/** Names per transaction, so that it takes a few milliseconds. */
const batchNames = 4 * blockSize

/** Trigrams of a long text beyond this number only make a search slower. */
const termsMax = 24

/** How much a search reads: blocks, names that are in no block yet, and runs that may match. With more, the runs are searched in the order of the page. */
export interface SearchLimits {
  readonly blocks: number
  readonly names: number
  readonly candidates: number
}
const usualLimits: SearchLimits = { blocks: 256, names: 20_000, candidates: 2000 }

type Entry = readonly [runId: string, name: string]

/** About how many names are in no block: their ids may have gaps. */
const unblockedNames = statement('select coalesce((select max(id) from run_name) - (select min(id) from run_name) + 1, 0) as names')
/** One statement, because names move from one table to the other between two. */
const possibleEntries = statement(
  `select entries from run_name_block where id in (select rowid from run_name_index where run_name_index match $1 limit $2)
    union all select json_group_array(json_array(flow_run_id, name)) from run_name where instr(lower(name), lower($3)) > 0`,
)

/**
 * The ids of all runs whose names may contain a text, in which `%` is a wildcard. Undefined if there are too many of them, if the text has no three
 * characters in a row, or on PostgreSQL, which finds names itself.
 */
export async function findRunsByName(db: Db, pattern: string, limits = usualLimits): Promise<string[] | undefined> {
  if (db.dialect.name !== 'sqlite') return undefined
  const parts = pattern.split('%').filter((part) => part !== '')
  const terms = searchTerms(parts)
  if (terms.length === 0) return undefined
  if (((await db.first<{ names: number }>(unblockedNames))?.names ?? 0) > limits.names) return undefined
  const match = terms.map((term) => `"${term.replaceAll('"', '""')}"`).join(' ')
  const wanted = parts.map(lowerAscii)
  const longest = wanted.reduce((long, part) => (part.length > long.length ? part : long))
  const rows = await db.all<{ entries: string }>(possibleEntries, [match, limits.blocks + 1, longest])
  // One row has the names outside of blocks.
  if (rows.length - 1 > limits.blocks) return undefined
  const ids = new Set<string>()
  for (const { entries } of rows) {
    for (const [id, name] of JSON.parse(entries) as Entry[]) {
      const lower = lowerAscii(name)
      if (wanted.every((part) => lower.includes(part))) ids.add(id)
    }
    if (ids.size > limits.candidates) return undefined
  }
  return [...ids]
}

/** The trigrams of a text: each three characters in a row. Of a long one some, from all of its parts. */
function searchTerms(parts: readonly string[]): string[] {
  const terms = new Set<string>()
  for (const part of parts) {
    const characters = [...part]
    for (let at = 0; at + 3 <= characters.length; at += 1) terms.add(characters.slice(at, at + 3).join(''))
  }
  const all = [...terms]
  const step = Math.ceil(all.length / termsMax)
  return all.filter((_, index) => index % step === 0)
}

/** As `like` of SQLite ignores case. */
const lowerAscii = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())

const hasBlock = statement(`select 1 as found from run_name limit 1 offset ${blockSize - 1}`)

/** Whether enough names for a block are outside of blocks. */
export const hasNamesToBlock = async (db: Db): Promise<boolean> => db.dialect.name === 'sqlite' && (await db.first(hasBlock)) !== undefined

const oldestNames = statement(`select id, flow_run_id, name from run_name order by id limit ${batchNames}`)
const insertBlock = statement('insert into run_name_block (entries) values ($1) returning id')
const insertIndexed = statement('insert into run_name_index (rowid, names) values ($1, $2)')
const deleteNames = statement('delete from run_name where id <= $1')

/** Moves names to blocks, four blocks at most. Returns whether enough names for a block may remain. Names are sorted, so that those of a block have much in common. */
export async function blockRunNames(tx: Tx): Promise<boolean> {
  if (tx.dialect.name !== 'sqlite') return false
  const names = await tx.all<{ id: number; flow_run_id: string; name: string }>(oldestNames)
  const moved = names.slice(0, names.length - (names.length % blockSize))
  const last = moved.at(-1)
  if (!last) return false
  const sorted = moved.toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
  for (let at = 0; at < sorted.length; at += blockSize) {
    const block = sorted.slice(at, at + blockSize)
    const entries = block.map(({ flow_run_id, name }): Entry => [flow_run_id, name])
    const [inserted] = await tx.runReturning<{ id: number }>(insertBlock, [JSON.stringify(entries)])
    await tx.run(insertIndexed, [inserted?.id as number, block.map(({ name }) => name).join('\n')])
  }
  await tx.run(deleteNames, [last.id])
  return moved.length === batchNames
}

/** The entries of a block whose run still has the name. */
const isCurrent = 'exists (select 1 from flow_run where flow_run.id = entry.value ->> 0 and flow_run.name = entry.value ->> 1)'
const checkedBlocks = 8
const nextBlocks = statement(
  `select id, exists (select 1 from json_each(entries) entry where not ${isCurrent}) as is_stale
    from run_name_block where id > $1 order by id limit ${checkedBlocks}`,
)

/** Looks for deleted and renamed runs in the next blocks after one. Returns the last block, 0 after the end. */
export async function findStaleBlocks(db: Db, after: number): Promise<{ readonly stale: readonly number[]; readonly last: number }> {
  if (db.dialect.name !== 'sqlite') return { stale: [], last: 0 }
  const blocks = await db.all<{ id: number; is_stale: number }>(nextBlocks, [after])
  const last = blocks.length < checkedBlocks ? 0 : (blocks.at(-1)?.id ?? 0)
  return { stale: blocks.filter(({ is_stale }) => is_stale === 1).map(({ id }) => id), last }
}

const returnNames = statement(
  `insert into run_name (flow_run_id, name)
    select entry.value ->> 0, entry.value ->> 1 from run_name_block block, json_each(block.entries) entry where block.id = $1 and ${isCurrent}`,
)
const deleteIndexed = statement('delete from run_name_index where rowid = $1')
const deleteBlock = statement('delete from run_name_block where id = $1')

/** Deletes blocks. The names that runs still have are moved to new blocks later. */
export const dissolveBlocks =
  (blocks: readonly number[]) =>
  async (tx: Tx): Promise<void> => {
    for (const block of blocks) {
      await tx.run(returnNames, [block])
      await tx.run(deleteIndexed, [block])
      await tx.run(deleteBlock, [block])
    }
  }

/** Statements that index the names of all runs again. The migration has the last two. */
export const reblockStatements: readonly string[] = [
  'delete from run_name',
  `insert into run_name_index (run_name_index) values ('delete-all')`,
  'delete from run_name_block',
  `insert into run_name_block (entries)
    select json_group_array(json_array(id, name))
    from (select id, name, (row_number() over (order by name, id) - 1) / ${blockSize} as block from flow_run) group by block`,
  `insert into run_name_index (rowid, names)
    select id, (select group_concat(entry.value ->> 1, char(10)) from json_each(entries) entry) from run_name_block`,
]
const reblocks = reblockStatements.map((text) => statement(text))

export async function reblockRunNames(tx: Tx): Promise<void> {
  for (const each of reblocks) await tx.run(each)
}
