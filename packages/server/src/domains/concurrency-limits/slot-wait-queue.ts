import { ApiError } from '../../errors.ts'
import { afterSeconds, type Micros, secondsBetween } from '../../lib/time.ts'
import { perServer, type ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { hasDecay } from './decay.ts'
import { type LimitCapacityRow, readCapacities, usedSlots } from './store.ts'

/** Somebody who wants slots of several limits, and would rather wait for the answer than be sent away. */
export interface SlotWait<R> {
  readonly names: readonly string[]
  readonly slots: number
  /** How long it waits at most. */
  readonly seconds: number
  /** Ends when it is not there any more. */
  readonly signal: AbortSignal
  /** Asks for the slots; anew where it has waited, so that it does not count as one more in the queue. */
  attempt(isAnew: boolean): Promise<R>
  /** Gives back what came too late. */
  rollBack(taken: R): Promise<unknown>
}

/** Slots come back in ways that wake nobody, and a wake-up may be lost. */
const checkEverySeconds = 1
const checkAgainSecondsMin = 0.01

/** Whoever waited in vain is to come back at once: it is still the server that makes it wait. */
const retryAfterWaitSeconds = 0.1

interface Waiter {
  readonly wait: SlotWait<unknown>
  readonly refusal: ApiError
  resolve(taken: unknown): void
  reject(error: unknown): void
  stopTimer(): void
  isAttempting: boolean
  isCancelled: boolean
}

/**
 * Callers whose requests are held until slots come free. When some do, one look at the limits tells for whom it is worth asking; those are asked
 * for in one batch, in the order in which they came. To look writes nothing.
 */
class SlotWaitQueue {
  readonly #context: ServerContext
  readonly #waiting = new Set<Waiter>()
  #isChecking = false
  #isCheckRequested = false
  #isClosed = false
  #unsubscribe: (() => void) | undefined
  #stopTimer: (() => void) | undefined

  constructor(context: ServerContext) {
    this.#context = context
  }

  wait<R>(wait: SlotWait<R>, refusal: ApiError): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      if (this.#isClosed || wait.signal.aborted) return reject(refusal)
      const waiter: Waiter = {
        wait: wait as SlotWait<unknown>,
        refusal,
        resolve: resolve as Waiter['resolve'],
        reject,
        stopTimer: afterSeconds(wait.seconds, () => this.#giveUp(waiter)),
        isAttempting: false,
        isCancelled: false,
      }
      wait.signal.addEventListener('abort', () => this.#giveUp(waiter), { once: true })
      this.#waiting.add(waiter)
      this.#unsubscribe ??= this.#context.bus.on('slots', () => this.#requestCheck())
      // Something may have come free since it was refused.
      this.#requestCheck()
    })
  }

  /** Sends everybody away; they come back to another server, or to this one when it has started again. */
  close(): void {
    this.#isClosed = true
    for (const waiter of this.#waiting) this.#giveUp(waiter)
  }

  #giveUp(waiter: Waiter): void {
    waiter.isCancelled = true
    if (waiter.isAttempting) return
    const { code, status, message } = waiter.refusal
    waiter.reject(new ApiError(code, status, message, { 'retry-after': String(retryAfterWaitSeconds) }))
    this.#remove(waiter)
  }

  #remove(waiter: Waiter): void {
    waiter.stopTimer()
    this.#waiting.delete(waiter)
    if (this.#waiting.size > 0) return
    this.#unsubscribe?.()
    this.#stopTimer?.()
    this.#unsubscribe = undefined
  }

  #requestCheck(): void {
    this.#isCheckRequested = true
    if (!this.#isChecking) void this.#runChecks()
  }

  async #runChecks(): Promise<void> {
    this.#isChecking = true
    this.#stopTimer?.()
    let seconds = checkEverySeconds
    while (this.#isCheckRequested && this.#waiting.size > 0) {
      this.#isCheckRequested = false
      // Without the database nobody gets anything; it is asked again in a moment.
      seconds = await this.#checkOnce().catch(() => checkEverySeconds)
    }
    this.#isChecking = false
    if (this.#waiting.size > 0) this.#stopTimer = afterSeconds(seconds, () => this.#requestCheck())
  }

  /** Asks for those who could have what they want; in how many seconds there could be more without anybody giving back. */
  async #checkOnce(): Promise<number> {
    const { reads, clock } = this.#context
    const now = clock.now()
    const names = new Set([...this.#waiting].flatMap(({ wait }) => wait.names))
    const rooms = new Map(
      (await readCapacities(reads, [...names], now)).map((capacity) => [
        capacity.name,
        { room: capacity, free: capacity.slots - usedSlots(capacity, now) },
      ]),
    )
    const hopeful: Waiter[] = []
    let seconds = checkEverySeconds
    for (const waiter of this.#waiting) {
      const { wait } = waiter
      const limits = [...new Set(wait.names)].flatMap((name) => rooms.get(name) ?? []).filter(({ room: capacity }) => toBoolean(capacity.active))
      const full = limits.filter(({ free }) => free + 1e-9 < wait.slots)
      for (const { room: capacity, free } of full) seconds = Math.min(seconds, secondsUntilFree(capacity, wait.slots - free, now))
      if (full.length > 0) continue
      for (const limit of limits) limit.free -= wait.slots
      hopeful.push(waiter)
    }
    await Promise.all(hopeful.map((waiter) => this.#attempt(waiter)))
    return Math.max(seconds, checkAgainSecondsMin)
  }

  async #attempt(waiter: Waiter): Promise<void> {
    const { wait } = waiter
    waiter.isAttempting = true
    try {
      const taken = await wait.attempt(true)
      if (wait.signal.aborted) await wait.rollBack(taken)
      waiter.resolve(taken)
      this.#remove(waiter)
    } catch (error) {
      waiter.isAttempting = false
      if (isSlotsFull(error) && !waiter.isCancelled) return
      if (isSlotsFull(error)) return this.#giveUp(waiter)
      waiter.reject(error)
      this.#remove(waiter)
    }
  }
}

/** When so many more slots are free at the soonest, if nobody gives any back. */
function secondsUntilFree(capacity: LimitCapacityRow, missing: number, now: Micros): number {
  if (hasDecay(capacity)) return missing / capacity.slot_decay_per_second
  return capacity.next_expiry === null ? checkEverySeconds : secondsBetween(now, capacity.next_expiry)
}

/** Refused for now; a limit that allows nothing at all refuses for good. */
const isSlotsFull = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'SLOTS_FULL' && error.headers['retry-after'] !== undefined

export const slotWaitQueue = perServer((context) => new SlotWaitQueue(context))

/** Asks for slots; where none are free, waits until some are, for as long as is wanted. */
export async function acquireOrWait<R>(context: ServerContext, wait: SlotWait<R>): Promise<R> {
  try {
    return await wait.attempt(false)
  } catch (error) {
    if (wait.seconds <= 0 || !isSlotsFull(error)) throw error
    return slotWaitQueue(context).wait(wait, error)
  }
}
