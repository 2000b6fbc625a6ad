import { type Clock, type MachineClock, MICROS_PER_SECOND, type Micros } from './time.ts'

/** A reading of the followed clock: its time, and the monotonic times of the request and the response. */
export interface ClockReading {
  readonly sent: Micros
  readonly received: Micros
  readonly time: Micros
}

interface Offset {
  /** Added to the monotonic clock, gives the followed time. */
  readonly offset: Micros
  /** The maximum error of the offset: half of the round trip. */
  readonly error: Micros
}

/** The number of recent readings. The one with the shortest round trip is used. */
const readingsMax = 8

/** Monotonic clocks of two machines drift apart by far less than this over the recent readings. */
const driftMax: Micros = 5000

/**
 * Follows a remote clock, such as that of the database, by Cristian's algorithm. Uses the monotonic clock between readings, so that
 * setting the wall clock has no effect. Returns the wall clock before the first reading.
 */
export class SyncedClock implements Clock {
  readonly #machine: MachineClock
  #readings: Offset[] = []
  #best: Offset | undefined
  #last: Micros = 0

  constructor(machine: MachineClock) {
    this.#machine = machine
  }

  observe({ sent, received, time }: ClockReading): void {
    const error = (received - sent) / 2
    const reading: Offset = { offset: time - (sent + error), error }
    // Contradicting readings mean that the followed clock was set or this machine slept: keep only the new one.
    const agrees = this.#readings.every((other) => Math.abs(other.offset - reading.offset) <= other.error + reading.error + driftMax)
    this.#readings = agrees ? [...this.#readings, reading].slice(-readingsMax) : [reading]
    this.#best = this.#readings.reduce((best, other) => (other.error <= best.error ? other : best))
  }

  /** Absorbs corrections below a second, so that states keep their order. Bound, because callers pass this function around alone. */
  readonly now = (): Micros => {
    const now = this.#best === undefined ? this.#machine.wall() : Math.round(this.#machine.monotonic() + this.#best.offset)
    this.#last = now > this.#last || this.#last - now > MICROS_PER_SECOND ? now : this.#last + 1
    return this.#last
  }

  readonly skewSeconds = (): number => (this.#machine.wall() - this.now()) / MICROS_PER_SECOND
}
