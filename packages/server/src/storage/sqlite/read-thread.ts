import { IdleThread } from '../../lib/idle-thread.ts'
import { LruCache } from '../../lib/lru-cache.ts'
import type { Connection } from '../connection.ts'
import { compileRowFactory } from '../row-factory.ts'
import type { ReadAnswer, ReadRequest, ReadWorkerData } from './read-worker.ts'

/** Next to this file, or next to the bundle: see scripts/build-server.ts. */
const entry = new URL(import.meta.url.endsWith('.ts') ? './read-worker.ts' : './read-worker.mjs', import.meta.url)

/** Longer than the time between two requests of an open dashboard. */
const idleSecondsMax = 30

/** Filters produce ever new texts. */
const statementsMax = 100

/** A connection for reads, and the thread that it runs on. */
export interface ReadThread {
  readonly connection: Connection
  close(): Promise<void>
}

/**
 * A connection whose statements run on a thread of its own, one at a time, so that a long read delays no request but its own. For statements with few rows: each
 * row is copied from one thread to the other (ADR 0061).
 */
export function createReadThread(data: ReadWorkerData): ReadThread {
  const thread = new IdleThread<ReadRequest, ReadAnswer>({ entry, purpose: 'runs long reads', idleSeconds: idleSecondsMax, data })
  const rowFactories = new LruCache<string, ReturnType<typeof compileRowFactory>>({ entriesMax: statementsMax })
  const rejectWrite = () => Promise.reject(new Error('A connection for reads cannot write'))
  const connection: Connection = {
    async all<R>(text: string, values: ReadRequest['values']) {
      const answer = await thread.ask({ text, values })
      if ('error' in answer) throw Object.assign(answer.error as Error, answer.properties)
      const toRow = rowFactories.get(text) ?? compileRowFactory(answer.names)
      rowFactories.set(text, toRow)
      return answer.rows.map(toRow) as R[]
    },
    run: rejectWrite,
    runEach: rejectWrite,
    script: rejectWrite,
  }
  return { connection, close: () => thread.close() }
}
