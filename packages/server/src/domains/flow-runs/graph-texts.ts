import type { Micros } from '../../lib/time.ts'
import { VersionedCache } from '../../lib/versioned-cache.ts'
import { perServer, type ServerContext } from '../../storage/server-context.ts'
import { readDependencies } from './dependencies.ts'
import { readGraph } from './graph.ts'
import { readGraphVersion } from './graph-store.ts'

/** Bounds the memory of cached graphs. A graph of 1,000 nodes has about 600,000 characters. */
const cacheCharactersMax = 16 * 1024 * 1024

/**
 * Graphs as JSON texts. The dashboard asks for the graph of a run again and again, and it is expensive: on PostgreSQL a hash of the versions of its
 * rows tells whether the last text is still right.
 */
export class GraphTexts {
  readonly #context: ServerContext
  readonly #cache = new VersionedCache<string>(cacheCharactersMax)

  constructor(context: ServerContext) {
    this.#context = context
  }

  readGraph(flowRunId: string, since: Micros): Promise<string> {
    return this.#read(`graph ${flowRunId} ${since}`, flowRunId, async () => ({
      text: await readGraph(this.#context, flowRunId, since),
      isFixed: true,
    }))
  }

  readDependencies(flowRunId: string): Promise<string> {
    return this.#read(`dependencies ${flowRunId}`, flowRunId, async () => {
      const { text, isRunning } = await readDependencies(this.#context.heavyReads, flowRunId, this.#context.clock.now())
      return { text, isFixed: !isRunning }
    })
  }

  /** The version is read first: a change since then makes the text newer than its version, never older. */
  async #read(key: string, flowRunId: string, build: () => Promise<{ text: string; isFixed: boolean }>): Promise<string> {
    const version = await readGraphVersion(this.#context.heavyReads, flowRunId)
    const cached = version === undefined ? undefined : this.#cache.get(key, version)
    if (cached !== undefined) return cached
    const { text, isFixed } = await build()
    if (version !== undefined && isFixed) this.#cache.set(key, version, text, text.length)
    return text
  }
}

/** One cache per server. */
export const graphTexts = perServer((context) => new GraphTexts(context))
