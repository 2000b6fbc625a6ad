import { ApiError } from '../../errors.ts'
import { afterSeconds, type Micros, secondsBetween } from '../../lib/time.ts'
import { perServer } from '../../storage/per-server.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { toBoolean } from '../../storage/tables.ts'
import { fades } from './fading.ts'
import { type RoomRow, readRooms, usedSlots } from './store.ts'

/** Somebody who wants slots of several limits, and would rather wait for the answer than be sent away. */
export interface Wanted<R> {
  readonly names: readonly string[]
  readonly slots: number
  /** How long it waits at most. */
  readonly seconds: number
  /** Ends when it is not there any more. */
  readonly signal: AbortSignal
  /** Asks for the slots; anew where it has waited, so that it does not count as one more in the queue. */
  ask(isAnew: boolean): Promise<R>
  /** Gives back what came too late. */
  undo(taken: R): Promise<unknown>
}

/** Slots come back in ways that wake nobody, and a wake-up may be lost. */
const lookEverySeconds = 1
const lookAgainSecondsMin = 0.01

/** Whoever waited in vain is to come back at once: it is still the server that makes it wait. */
const comeBackSeconds = 0.1

interface Waiter {
  readonly wanted: Wanted<unknown>
  readonly refusal: ApiError
  resolve(taken: unknown): void
  reject(error: unknown): void
  stopTimer(): void
  isAsking: boolean
  isOver: boolean
}

/**
 * Callers whose requests are held until slots come free. When some do, one look at the limits tells for whom it is worth asking; those are asked
 * for in one batch, in the order in which they came. To look writes nothing.
 */
class SlotQueue {
  readonly #context: ServerContext
  readonly #waiting = new Set<Waiter>()
  #isLooking = false
  #lookAgain = false
  #isClosed = false
  #deaf: (() => void) | undefined
  #stopTimer: (() => void) | undefined

  constructor(context: ServerContext) {
    this.#context = context
  }

  wait<R>(wanted: Wanted<R>, refusal: ApiError): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      if (this.#isClosed || wanted.signal.aborted) return reject(refusal)
      const waiter: Waiter = {
        wanted: wanted as Wanted<unknown>,
        refusal,
        resolve: resolve as Waiter['resolve'],
        reject,
        stopTimer: afterSeconds(wanted.seconds, () => this.#giveUp(waiter)),
        isAsking: false,
        isOver: false,
      }
      wanted.signal.addEventListener('abort', () => this.#giveUp(waiter), { once: true })
      this.#waiting.add(waiter)
      this.#deaf ??= this.#context.bus.on('slots', () => this.#look())
      // Something may have come free since it was refused.
      this.#look()
    })
  }

  /** Sends everybody away; they come back to another server, or to this one when it has started again. */
  close(): void {
    this.#isClosed = true
    for (const waiter of this.#waiting) this.#giveUp(waiter)
  }

  #giveUp(waiter: Waiter): void {
    waiter.isOver = true
    if (waiter.isAsking) return
    const { code, status, message } = waiter.refusal
    waiter.reject(new ApiError(code, status, message, { 'retry-after': String(comeBackSeconds) }))
    this.#leave(waiter)
  }

  #leave(waiter: Waiter): void {
    waiter.stopTimer()
    this.#waiting.delete(waiter)
    if (this.#waiting.size > 0) return
    this.#deaf?.()
    this.#stopTimer?.()
    this.#deaf = undefined
  }

  #look(): void {
    this.#lookAgain = true
    if (!this.#isLooking) void this.#lookOn()
  }

  async #lookOn(): Promise<void> {
    this.#isLooking = true
    this.#stopTimer?.()
    let seconds = lookEverySeconds
    while (this.#lookAgain && this.#waiting.size > 0) {
      this.#lookAgain = false
      // Without the database nobody gets anything; it is asked again in a moment.
      seconds = await this.#lookOnce().catch(() => lookEverySeconds)
    }
    this.#isLooking = false
    if (this.#waiting.size > 0) this.#stopTimer = afterSeconds(seconds, () => this.#look())
  }

  /** Asks for those who could have what they want; in how many seconds there could be more without anybody giving back. */
  async #lookOnce(): Promise<number> {
    const { reads, clock } = this.#context
    const now = clock.now()
    const names = new Set([...this.#waiting].flatMap(({ wanted }) => wanted.names))
    const rooms = new Map((await readRooms(reads, [...names], now)).map((room) => [room.name, { room, free: room.slots - usedSlots(room, now) }]))
    const hopeful: Waiter[] = []
    let seconds = lookEverySeconds
    for (const waiter of this.#waiting) {
      const { wanted } = waiter
      const limits = [...new Set(wanted.names)].flatMap((name) => rooms.get(name) ?? []).filter(({ room }) => toBoolean(room.active))
      const full = limits.filter(({ free }) => free + 1e-9 < wanted.slots)
      for (const { room, free } of full) seconds = Math.min(seconds, secondsToRoom(room, wanted.slots - free, now))
      if (full.length > 0) continue
      for (const limit of limits) limit.free -= wanted.slots
      hopeful.push(waiter)
    }
    await Promise.all(hopeful.map((waiter) => this.#ask(waiter)))
    return Math.max(seconds, lookAgainSecondsMin)
  }

  async #ask(waiter: Waiter): Promise<void> {
    const { wanted } = waiter
    waiter.isAsking = true
    try {
      const taken = await wanted.ask(true)
      if (wanted.signal.aborted) await wanted.undo(taken)
      waiter.resolve(taken)
      this.#leave(waiter)
    } catch (error) {
      waiter.isAsking = false
      if (isFull(error) && !waiter.isOver) return
      if (isFull(error)) return this.#giveUp(waiter)
      waiter.reject(error)
      this.#leave(waiter)
    }
  }
}

/** When so many more slots are free at the soonest, if nobody gives any back. */
function secondsToRoom(room: RoomRow, missing: number, now: Micros): number {
  if (fades(room)) return missing / room.slot_decay_per_second
  return room.next_expiry === null ? lookEverySeconds : secondsBetween(now, room.next_expiry)
}

/** Refused for now; a limit that allows nothing at all refuses for good. */
const isFull = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'SLOTS_FULL' && error.headers['retry-after'] !== undefined

export const slotQueue = perServer((context) => new SlotQueue(context))

/** Asks for slots; where none are free, waits until some are, for as long as is wanted. */
export async function askOrWait<R>(context: ServerContext, wanted: Wanted<R>): Promise<R> {
  try {
    return await wanted.ask(false)
  } catch (error) {
    if (wanted.seconds <= 0 || !isFull(error)) throw error
    return slotQueue(context).wait(wanted, error)
  }
}
