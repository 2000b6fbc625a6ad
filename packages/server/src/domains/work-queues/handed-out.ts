import { LruCache } from '../../lib/lru-cache.ts'
import type { Random } from '../../lib/random.ts'
import { MICROS_PER_SECOND, type Micros } from '../../lib/time.ts'
import { perServer, type ServerContext } from '../../storage/server-context.ts'

/** A worker claims its runs within this time, or another worker gets them first again. */
const claimTime = MICROS_PER_SECOND

/** Runs of one pool that are remembered. Of more, the oldest may be handed out again: a poll reads no more ids than these and a few more. */
const remembered = 2000

/** Polls for more runs than this many times its own make a crowd. */
const crowdFactor = 4
/** In a crowd a poll starts anywhere in so many times the runs of the crowd, because workers of other servers get runs from the same ones. */
const spreadFactor = 3
const spreadMax = 500

/**
 * The runs of a pool that this server handed to workers within the last second, and how many more the polls in progress want. Without it all workers
 * that poll at about the same time get the same runs, and all but one of their claims of each are refused (ADR 0054).
 */
export class HandedOutRuns {
  /** By the time at which they were handed out, oldest first. */
  readonly #runs = new Map<string, Micros>()
  /** Runs that the polls in progress want. */
  #wanted = 0

  /** Whether another poll may get, or has just got, the same runs. */
  isContended(now: Micros): boolean {
    this.#forget(now)
    return this.#wanted > 0 || this.#runs.size > 0
  }

  /** How many runs a poll reads, so that some are neither handed out nor wanted by a poll in progress. Each poll in progress is counted, this one too. */
  runsToRead(count: number): number {
    const crowd = this.#crowd()
    return this.#isCrowd(count) ? crowd + Math.min(crowd * (spreadFactor - 1), spreadMax) : crowd
  }

  isHandedOut = (id: string): boolean => this.#runs.has(id)

  countNew = (ids: readonly string[]): number => ids.reduce((count, id) => (this.#runs.has(id) ? count : count + 1), 0)

  async whileWanted<T>(count: number, poll: () => Promise<T>): Promise<T> {
    this.#wanted += count
    try {
      return await poll()
    } finally {
      this.#wanted -= count
    }
  }

  /** Hands out `count` of the runs, which are in order: those that nobody got, then those that were handed out longest ago. Keeps the order. */
  choose(ids: readonly string[], count: number, now: Micros, random: Random): string[] {
    this.#forget(now)
    const fresh = ids.filter((id) => !this.#runs.has(id))
    const start = this.#isCrowd(count) ? Math.floor(random.next() * Math.max(0, fresh.length - count + 1)) : 0
    const chosen = new Set(fresh.slice(start, start + count))
    if (chosen.size < count) {
      const known = new Set(ids)
      for (const id of this.#runs.keys()) if (chosen.size < count && known.has(id)) chosen.add(id)
    }
    const inOrder = ids.filter((id) => chosen.has(id))
    this.record(inOrder, now)
    return inOrder
  }

  /** Runs that are not for the next poll. */
  #crowd = (): number => this.#runs.size + this.#wanted

  #isCrowd = (count: number): boolean => this.#crowd() > count * crowdFactor

  record(ids: readonly string[], now: Micros): void {
    for (const id of ids) {
      this.#runs.delete(id)
      this.#runs.set(id, now)
    }
    for (const id of this.#runs.keys()) {
      if (this.#runs.size <= remembered) break
      this.#runs.delete(id)
    }
  }

  #forget(now: Micros): void {
    for (const [id, at] of this.#runs) {
      // A time in the future is from before the clock was set back.
      if (at <= now && now - at < claimTime) break
      this.#runs.delete(id)
    }
  }
}

/** Pools whose runs are remembered. */
const poolsMax = 1000
const pools = perServer(() => new LruCache<string, HandedOutRuns>({ entriesMax: poolsMax }))

export function handedOutRuns(context: ServerContext, poolId: string): HandedOutRuns {
  const runs = pools(context).get(poolId) ?? new HandedOutRuns()
  pools(context).set(poolId, runs)
  return runs
}
