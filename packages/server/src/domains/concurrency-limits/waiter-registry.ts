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

/** A waiter that is this late for its next try counts as gone. */
const graceSeconds = 30
const waitersMax = 10_000

/**
 * Clients whose slot request was denied, by limit name. Kept in memory, because a table would need a write for every denial.
 * Each replica lists the clients that it denied. After a restart the list fills again as clients retry.
 */
export class WaiterRegistry {
  readonly #waiters = new Map<string, RegisteredWaiter & { readonly name: string }>()

  record(names: readonly string[], requester: SlotRequester, slots: number, now: Micros, seconds: number): void {
    for (const name of names) {
      const key = `${requester.id} ${name}`
      const since = this.#waiters.get(key)?.since ?? now
      // Moved to the end: the map stays sorted by last request, and the oldest entries are evicted first.
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

  /** The waiters of the limit, longest wait first. */
  list(limit: string, now: Micros): RegisteredWaiter[] {
    const found: RegisteredWaiter[] = []
    for (const [key, waiter] of this.#waiters) {
      if (addSeconds(waiter.nextTry, graceSeconds) < now) this.#waiters.delete(key)
      else if (waiter.name === limit) found.push(waiter)
    }
    return found.sort((a, b) => a.since - b.since)
  }
}

export const waiterRegistry = perServer(() => new WaiterRegistry())

/** Runs a request for slots and registers its requester if it is denied. Requests without a requester cannot be told apart and are not registered. */
export async function trackWaiter<T>(
  context: ServerContext,
  { names, slots, requester }: { readonly names: readonly string[]; readonly slots: number; readonly requester: SlotRequester | null },
  acquire: () => Promise<T>,
): Promise<T> {
  if (requester === null) return acquire()
  const registry = waiterRegistry(context)
  try {
    const acquired = await acquire()
    registry.remove(names, requester)
    return acquired
  } catch (error) {
    const seconds = error instanceof ApiError ? Number(error.headers['retry-after']) : Number.NaN
    if (seconds >= 0) registry.record(names, requester, slots, context.clock.now(), seconds)
    throw error
  }
}
