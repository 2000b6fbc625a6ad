import { sortableTime } from '../sortable-time.ts'

/** An item that can be recognized when it arrives again. */
export interface StoredItem {
  readonly id: string
  /** When it happened, by the clock of its sender. */
  readonly time: string
  /** When the server stored it, by the server's clock. */
  readonly storedAt: string
}

/** Number of items to recognize. An older item is excluded by its time. */
const rememberedMax = 10_000

/** A subscription that has seen no item searches from this long before its start: it does not know the time of the server. */
const clockSkewSecondsMax = 86_400

/** Items that were late by less than this are not missed after a reconnect: the API can search by the time of the sender only. */
const lateSecondsMax = 120

/**
 * Knows which items a subscription has returned, and from which time it has to read to miss none. It keeps times with six digits, because these texts sort
 * like times.
 */
export class ResumePoint {
  /** Time by id, in the order of insertion. */
  readonly #times = new Map<string, string>()
  readonly #start: string | undefined
  readonly #earliest: string
  #lateSeconds = lateSecondsMax
  /** Items that were stored until then are not wanted. */
  #skippedUntil = ''
  /** The newest time of storing. */
  #storedUntil = ''
  /** All items until then were returned and are no longer remembered. */
  #forgottenUntil = ''
  /** Start of a search that is not complete. */
  #openSince: string | undefined

  /** `start` is the time from which the consumer wants past items. */
  constructor(start: string | undefined) {
    this.#start = start
    this.#earliest = new Date(Date.now() - clockSkewSecondsMax * 1000).toISOString()
  }

  /** Excludes the items that exist. `newest` is the newest one. The first search needs to cover only the time until the connection was made. */
  skipExisting(newest: StoredItem | undefined, lateSeconds: number): void {
    if (newest) this.#skippedUntil = this.#storedUntil = sortableTime(newest.storedAt)
    this.#lateSeconds = lateSeconds
  }

  /** Starts a search for items that were stored meanwhile. Returns the time from which to search. */
  openSearch(): string {
    const [late, forgotten] = [addSeconds(this.#storedUntil, -this.#lateSeconds), addSeconds(this.#forgottenUntil, 0)]
    this.#openSince ??= latest(this.#start, late) ?? this.#earliest
    return latest(this.#openSince, forgotten) as string
  }

  closeSearch(): void {
    this.#openSince = undefined
    this.#lateSeconds = lateSecondsMax
  }

  /** Whether an item of a search is new. Remembers it. */
  acceptFound(item: StoredItem): boolean {
    return sortableTime(item.storedAt) > this.#skippedUntil && earlier(item) > this.#forgottenUntil && this.accept(item)
  }

  /** Whether an item of the socket is new. Remembers it. */
  accept(item: StoredItem): boolean {
    if (this.#times.has(item.id)) return false
    this.#times.set(item.id, earlier(item))
    const storedAt = sortableTime(item.storedAt)
    if (storedAt > this.#storedUntil) this.#storedUntil = storedAt
    if (this.#times.size > rememberedMax) this.#forgetOldest()
    return true
  }

  #forgetOldest(): void {
    const [id, time] = this.#times.entries().next().value as [string, string]
    this.#times.delete(id)
    if (time > this.#forgottenUntil) this.#forgottenUntil = time
  }
}

/** The time of an item whose sender's clock is ahead counts as the time of storing. */
function earlier(item: StoredItem): string {
  const [time, storedAt] = [sortableTime(item.time), sortableTime(item.storedAt)]
  return time < storedAt ? time : storedAt
}

const addSeconds = (time: string, seconds: number): string | undefined =>
  time === '' ? undefined : new Date(Date.parse(time) + seconds * 1000).toISOString()

function latest(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return Date.parse(a) > Date.parse(b) ? a : b
}
