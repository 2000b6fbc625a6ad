import type { Db } from './database.ts'
import type { ServerContext } from './server-context.ts'

/** More ids than this are read by several statements. */
const idsMax = 200

interface Waiting<R> {
  readonly row: Promise<R | undefined>
  resolve(row: R | undefined): void
  reject(error: unknown): void
}

/**
 * Reads single rows. On PostgreSQL all reads of one turn of the event loop share a statement: a statement costs more than the rows that it reads, and each one
 * wakes a process. A statement begins after all its reads were requested, so it sees what was committed before.
 */
export function readerById<R extends { readonly id: string }>(
  { reads, keyReads }: Pick<ServerContext, 'reads' | 'keyReads'>,
  readOne: (db: Db, id: string) => Promise<R | undefined>,
  readMany: (db: Db, ids: readonly string[]) => Promise<R[]>,
): (id: string) => Promise<R | undefined> {
  if (!keyReads) return (id) => readOne(reads, id)
  let waiting = new Map<string, Waiting<R>>()

  async function flush(): Promise<void> {
    const batch = waiting
    if (batch.size === 0) return
    waiting = new Map()
    try {
      for (const row of await readMany(keyReads as Db, [...batch.keys()])) {
        batch.get(row.id)?.resolve(row)
        batch.delete(row.id)
      }
      for (const { resolve } of batch.values()) resolve(undefined)
    } catch (error) {
      for (const { reject } of batch.values()) reject(error)
    }
  }

  return (id) => {
    const known = waiting.get(id)
    if (known) return known.row
    if (waiting.size >= idsMax) void flush()
    if (waiting.size === 0) setImmediate(flush)
    const { promise: row, resolve, reject } = Promise.withResolvers<R | undefined>()
    waiting.set(id, { row, resolve, reject })
    return row
  }
}
