import { ApiError } from '../../errors.ts'
import { addSeconds, type Micros } from '../../lib/time.ts'
import { perServer, type ServerContext } from '../../storage/server-context.ts'

export interface SlotRequester {
  readonly type: string
  readonly id: string
}

export interface RegisteredWaiter {
  readonly requester: SlotRequester
  readonly slots: number
  readonly since: Micros
  readonly nextTry: Micros
}

/** Whoever has not come back this long after it was to ask again has given up. */
const graceSeconds = 30
const waitersMax = 10_000

/**
 * Who was told that no slot is free, by the limit's name. Kept in memory: a refusal would otherwise write a row each time somebody asks in vain.
 * So each replica knows of those that asked it, and a server that starts again learns of them as they ask again.
 */
export class WaiterRegistry {
  readonly #waiters = new Map<string, RegisteredWaiter & { readonly name: string }>()

  record(names: readonly string[], requester: SlotRequester, slots: number, now: Micros, seconds: number): void {
    for (const name of names) {
      const key = `${requester.id} ${name}`
      const since = this.#waiters.get(key)?.since ?? now
      // Put at the end again: the first ones are those that were not heard of for the longest time.
      this.#waiters.delete(key)
      this.#waiters.set(key, { name, requester, slots, since, nextTry: addSeconds(now, seconds) })
    }
    for (const key of this.#waiters.keys()) {
      if (this.#waiters.size <= waitersMax) break
      this.#waiters.delete(key)
    }
  }

  remove(names: readonly string[], requester: SlotRequester): void {
    for (const name of names) this.#waiters.delete(`${requester.id} ${name}`)
  }

  /** Those who wait for the limit, the first first. */
  list(limit: string, now: Micros): RegisteredWaiter[] {
    const found: RegisteredWaiter[] = []
    for (const [key, waiting] of this.#waiters) {
      if (addSeconds(waiting.nextTry, graceSeconds) < now) this.#waiters.delete(key)
      else if (waiting.name === limit) found.push(waiting)
    }
    return found.sort((a, b) => a.since - b.since)
  }
}

export const waiterRegistry = perServer(() => new WaiterRegistry())

/** Carries out a request for slots, and remembers who was sent away. Whoever does not say who it is cannot be told from the next. */
export async function trackWaiter<T>(
  context: ServerContext,
  { names, slots, requester }: { readonly names: readonly string[]; readonly slots: number; readonly requester: SlotRequester | null },
  take: () => Promise<T>,
): Promise<T> {
  if (requester === null) return take()
  const registry = waiterRegistry(context)
  try {
    const taken = await take()
    registry.remove(names, requester)
    return taken
  } catch (error) {
    const seconds = error instanceof ApiError ? Number(error.headers['retry-after']) : Number.NaN
    if (seconds >= 0) registry.record(names, requester, slots, context.clock.now(), seconds)
    throw error
  }
}
