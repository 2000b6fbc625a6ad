import { orNull, Text } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'
import type { Config } from '../../config.ts'
import { ApiError } from '../../errors.ts'
import { afterSeconds, type Micros, secondsBetween } from '../../lib/time.ts'
import { hasDecay } from '../../runs/slots/decay.ts'
import { perServer, type ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { type LimitCapacityRow, readCapacities, usedSlots } from './store.ts'

/** `Prefer: wait=10` (RFC 7240): the client prefers an answer within ten seconds to an immediate denial. */
export const PreferHeader = Type.Object({ prefer: orNull(Text) })

/** For how many seconds a request for slots may be held. */
export function preferredWaitSeconds({ prefer }: { readonly prefer?: string | null }, { concurrency }: Config): number {
  const seconds = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})/i.exec(prefer ?? '')?.[1]
  return Math.min(Number(seconds ?? 0), concurrency.maximum_hold_seconds)
}

/** A held request for slots. */
export interface SlotWait<R> {
  readonly names: readonly string[]
  readonly slots: number
  /** Maximum wait. */
  readonly seconds: number
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** Requests the slots. A retry is not counted as denied again. */
  attempt(isRetry: boolean): Promise<R>
  /** Releases slots that were acquired after the client disconnected. */
  rollBack(acquired: R): Promise<unknown>
}

/** Maximum number of held requests. Those above it are denied at once, and their clients ask again. */
const heldMax = 2000

/** Expiry and decay send no notification, and a notification may be lost. */
const checkEverySeconds = 1
const checkAgainSecondsMin = 0.01

/** A client whose wait timed out retries at once; the server holds its next request too. */
const retryAfterWaitSeconds = 0.1

interface Waiter {
  readonly wait: SlotWait<unknown>
  readonly refusal: ApiError
  resolve(acquired: unknown): void
  reject(error: unknown): void
  stopTimer(): void
  isAttempting: boolean
  isCancelled: boolean
}

/**
 * Holds requests until slots become free. One read of the limits then selects the requests that can succeed; they are attempted in
 * one batch, in order of arrival. The check itself writes nothing.
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
      if (this.#isClosed || wait.signal.aborted || this.#waiting.size >= heldMax) return reject(refusal)
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
      // Slots may have become free since the denial.
      this.#requestCheck()
    })
  }

  /** Rejects all held requests. Clients retry on another replica, or on this one after its restart. */
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
      // The database is unavailable: check again later.
      seconds = await this.#checkOnce().catch(() => checkEverySeconds)
    }
    this.#isChecking = false
    if (this.#waiting.size > 0) this.#stopTimer = afterSeconds(seconds, () => this.#requestCheck())
  }

  /** Attempts the requests that can succeed. Returns in how many seconds slots may become free without a release. */
  async #checkOnce(): Promise<number> {
    const { reads, clock } = this.#context
    const now = clock.now()
    const names = new Set([...this.#waiting].flatMap(({ wait }) => wait.names))
    const capacities = new Map(
      (await readCapacities(reads, [...names], now)).map((limit) => [limit.name, { limit, free: limit.slots - usedSlots(limit, now) }]),
    )
    const served: Waiter[] = []
    let seconds = checkEverySeconds
    for (const waiter of this.#waiting) {
      const { wait } = waiter
      const wanted = [...new Set(wait.names)].flatMap((name) => capacities.get(name) ?? []).filter(({ limit }) => toBoolean(limit.active))
      const full = wanted.filter(({ free }) => free + 1e-9 < wait.slots)
      for (const { limit, free } of full) seconds = Math.min(seconds, secondsUntilFree(limit, wait.slots - free, now))
      if (full.length > 0) continue
      for (const capacity of wanted) capacity.free -= wait.slots
      served.push(waiter)
    }
    await Promise.all(served.map((waiter) => this.#attempt(waiter)))
    return Math.max(seconds, checkAgainSecondsMin)
  }

  async #attempt(waiter: Waiter): Promise<void> {
    const { wait } = waiter
    waiter.isAttempting = true
    try {
      const acquired = await wait.attempt(true)
      if (wait.signal.aborted) await wait.rollBack(acquired)
      waiter.resolve(acquired)
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

/** The earliest time at which the missing slots can be free without a release. */
function secondsUntilFree(limit: LimitCapacityRow, missing: number, now: Micros): number {
  if (hasDecay(limit)) return missing / limit.slot_decay_per_second
  return limit.next_expiry === null ? checkEverySeconds : secondsBetween(now, limit.next_expiry)
}

/** A temporary denial. A limit with 0 slots denies without `retry-after`. */
const isSlotsFull = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'SLOTS_FULL' && error.headers['retry-after'] !== undefined

export const slotWaitQueue = perServer((context) => new SlotWaitQueue(context))

/** Requests slots; on a denial waits until slots are free or the wait times out. */
export async function acquireOrWait<R>(context: ServerContext, wait: SlotWait<R>): Promise<R> {
  try {
    return await wait.attempt(false)
  } catch (error) {
    if (wait.seconds <= 0 || !isSlotsFull(error)) throw error
    return slotWaitQueue(context).wait(wait, error)
  }
}
