import { createHash, timingSafeEqual } from 'node:crypto'
import { tooManyGuesses, unauthorized } from '../errors.ts'
import { LruCache } from '../lib/lru-cache.ts'
import { addressGroup, clientAddressReader, type Origin } from './client-address.ts'
import type { GuessReport } from './guess-report.ts'

export interface GuardOptions {
  readonly password: string
  readonly trustedProxies: readonly string[]
  readonly report: GuessReport
  /** Monotonic. */
  nowSeconds(): number
}

/** Wrong passwords of an address before it has to wait. */
const freeGuesses = 10

const waitSecondsMax = 60

/** Without another wrong password for this long, an address starts anew. */
const forgetAfterSeconds = 15 * 60

/** An address from which the right password came is shared with clients that know it for this long. */
const sharedSeconds = 24 * 3600

/** Addresses that are remembered, of either kind. */
const addressesMax = 10_000

interface Guesses {
  readonly count: number
  readonly lastSeconds: number
  readonly waitsUntilSeconds: number
  readonly digest: Buffer
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * Checks the password, and lets an address wait that sends wrong ones: after ten of them for 1, 2, 4 … 60 seconds, in which no password from it is accepted.
 * The right password goes on working where it was used before: on its connection, and for a day at its address, because behind a proxy or a
 * router one client could otherwise lock out all others (ADR 0051). A wrong password that is repeated is no new guess: a worker whose password is outdated only gets 401.
 */
export class PasswordGuard {
  readonly #options: GuardOptions
  readonly #expected: Buffer
  readonly #addressOf: (request: Origin) => string
  /** Connections whose last password was right. */
  readonly #proven = new WeakSet<object>()
  readonly #provenAddresses = new LruCache<string, number>({ entriesMax: addressesMax })
  readonly #guesses = new LruCache<string, Guesses>({ entriesMax: addressesMax })

  constructor(options: GuardOptions) {
    this.#options = options
    this.#expected = digestOf(options.password)
    this.#addressOf = clientAddressReader(options.trustedProxies)
  }

  /** Throws unless the password is right and its address does not have to wait. */
  check(request: Origin, given: string): void {
    const digest = digestOf(given)
    // Digests have the same length, so that the comparison takes constant time.
    const isRight = timingSafeEqual(digest, this.#expected)
    const { socket } = request
    const isProven = socket !== undefined && this.#proven.has(socket)
    if (isRight && isProven) return
    const address = this.#addressOf(request)
    const group = addressGroup(address)
    const now = this.#options.nowSeconds()
    const before = this.#guesses.get(group)
    const isKnown = before !== undefined && timingSafeEqual(before.digest, digest)
    const waitSeconds = isKnown ? 0 : (before?.waitsUntilSeconds ?? 0) - now
    if (waitSeconds > 0 && !isProven && !(isRight && this.#isShared(group, now))) {
      this.#options.report.count(address)
      throw tooManyGuesses(waitSeconds)
    }
    if (isRight) {
      if (socket) this.#proven.add(socket)
      this.#provenAddresses.set(group, now)
      return
    }
    if (socket) this.#proven.delete(socket)
    this.#options.report.count(address)
    if (!isKnown) this.#guesses.set(group, nextGuess(before, digest, now))
    throw unauthorized()
  }

  #isShared(group: string, now: number): boolean {
    const at = this.#provenAddresses.get(group)
    return at !== undefined && now - at < sharedSeconds
  }
}

function nextGuess(before: Guesses | undefined, digest: Buffer, now: number): Guesses {
  const count = before && now - before.lastSeconds < forgetAfterSeconds ? before.count + 1 : 1
  const waitSeconds = count < freeGuesses ? 0 : Math.min(2 ** (count - freeGuesses), waitSecondsMax)
  return { count, lastSeconds: now, waitsUntilSeconds: now + waitSeconds, digest }
}
