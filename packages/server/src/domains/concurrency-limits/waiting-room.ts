import { ApiError } from '../../errors.ts'
import { addSeconds, type Micros } from '../../lib/time.ts'
import { perServer } from '../../storage/per-server.ts'
import type { ServerContext } from '../../storage/server-context.ts'

export interface Asker {
  readonly type: string
  readonly id: string
}

export interface Waiting {
  readonly asker: Asker
  readonly slots: number
  readonly since: Micros
  readonly nextTry: Micros
}

/** Whoever has not come back this long after it was to ask again has given up. */
const graceSeconds = 30
const waitingMax = 10_000

/**
 * Who was told that no slot is free, by the limit's name. Kept in memory: a refusal would otherwise write a row each time somebody asks in vain.
 * So each replica knows of those that asked it, and a server that starts again learns of them as they ask again.
 */
export class WaitingRoom {
  readonly #waiting = new Map<string, Waiting & { readonly name: string }>()

  refuse(names: readonly string[], asker: Asker, slots: number, now: Micros, seconds: number): void {
    for (const name of names) {
      const key = `${asker.id} ${name}`
      const since = this.#waiting.get(key)?.since ?? now
      // Put at the end again: the first ones are those that were not heard of for the longest time.
      this.#waiting.delete(key)
      this.#waiting.set(key, { name, asker, slots, since, nextTry: addSeconds(now, seconds) })
    }
    for (const key of this.#waiting.keys()) {
      if (this.#waiting.size <= waitingMax) break
      this.#waiting.delete(key)
    }
  }

  leave(names: readonly string[], asker: Asker): void {
    for (const name of names) this.#waiting.delete(`${asker.id} ${name}`)
  }

  /** Those who wait for the limit, the first first. */
  of(limit: string, now: Micros): Waiting[] {
    const found: Waiting[] = []
    for (const [key, waiting] of this.#waiting) {
      if (addSeconds(waiting.nextTry, graceSeconds) < now) this.#waiting.delete(key)
      else if (waiting.name === limit) found.push(waiting)
    }
    return found.sort((a, b) => a.since - b.since)
  }
}

export const waitingRoom = perServer(() => new WaitingRoom())

/** Carries out a request for slots, and remembers who was sent away. Whoever does not say who it is cannot be told from the next. */
export async function rememberingWaiters<T>(
  context: ServerContext,
  { names, slots, asker }: { readonly names: readonly string[]; readonly slots: number; readonly asker: Asker | null },
  take: () => Promise<T>,
): Promise<T> {
  if (asker === null) return take()
  const room = waitingRoom(context)
  try {
    const taken = await take()
    room.leave(names, asker)
    return taken
  } catch (error) {
    const seconds = error instanceof ApiError ? Number(error.headers['retry-after']) : Number.NaN
    if (seconds >= 0) room.refuse(names, asker, slots, context.clock.now(), seconds)
    throw error
  }
}
