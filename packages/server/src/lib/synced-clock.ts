import { type Clock, type MachineClock, MICROS_PER_SECOND, type Micros } from './time.ts'

/** One reading of the clock to follow: its time, and when the question was sent and answered by the machine's steady clock. */
export interface ClockReading {
  readonly sent: Micros
  readonly received: Micros
  readonly time: Micros
}

interface Offset {
  /** Add to the steady clock to get the time that is followed. */
  readonly offset: Micros
  /** The offset is right to within this: half of the round trip. */
  readonly error: Micros
}

/** Readings that are compared: the one with the shortest round trip counts. */
const readingsMax = 8

/** Steady clocks of two machines drift apart by far less than this between the first and the last reading. */
const driftMax: Micros = 5000

/**
 * Follows a clock elsewhere, such as the database's, by Cristian's algorithm. Runs on the machine's steady clock between readings, so that
 * setting the machine's wall clock changes nothing. Until the first reading it shows the wall clock.
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
    // Readings that cannot both be right mean that the followed clock was set, or that this machine slept: only the new one counts.
    const agrees = this.#readings.every((other) => Math.abs(other.offset - reading.offset) <= other.error + reading.error + driftMax)
    this.#readings = agrees ? [...this.#readings, reading].slice(-readingsMax) : [reading]
    this.#best = this.#readings.reduce((best, other) => (other.error <= best.error ? other : best))
  }

  /** Never goes back by less than a second: states of one moment keep their order. Clocks are passed around by this function alone, so it is bound. */
  readonly now = (): Micros => {
    const now = this.#best === undefined ? this.#machine.wall() : Math.round(this.#machine.monotonic() + this.#best.offset)
    this.#last = now > this.#last || this.#last - now > MICROS_PER_SECOND ? now : this.#last + 1
    return this.#last
  }

  readonly skewSeconds = (): number => (this.#machine.wall() - this.now()) / MICROS_PER_SECOND
}
