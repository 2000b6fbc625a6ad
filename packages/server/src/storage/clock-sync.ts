import { SyncedClock } from '../lib/synced-clock.ts'
import { afterSeconds, type MachineClock } from '../lib/time.ts'
import type { Connection } from './connection.ts'

/** Several readings at the start, because a single slow one can be off by half of its round trip. */
const initialReadings = 3
const readingIntervalSeconds = 5

/** Above this skew, log timestamps and client clocks visibly disagree with the times that the server reports. */
export const skewWarningSeconds = 2

export interface ClockLog {
  info(message: string): void
  warn(message: string): void
}

export interface ClockSync {
  readonly clock: SyncedClock
  /** Reads the database clock every few seconds until `stop`. Logs a warning when the machine clock is off. */
  start(log: ClockLog): void
  stop(): void
}

/** Uses the database clock as the clock of this server, so that replicas with wrong machine clocks agree on leases, lateness and schedules. */
export async function followDatabaseClock(reads: Connection, query: string, machine: MachineClock): Promise<ClockSync> {
  const clock = new SyncedClock(machine)
  let cancel: (() => void) | undefined
  let stopped = false
  let warned = false

  async function read(): Promise<void> {
    const sent = machine.monotonic()
    const [row] = await reads.all<{ time: number }>(query, [])
    if (row) clock.observe({ sent, received: machine.monotonic(), time: row.time })
  }

  function warn(log: ClockLog): void {
    const skew = clock.skewSeconds()
    const isOff = Math.abs(skew) > skewWarningSeconds
    if (isOff && !warned) log.warn(skewMessage(skew))
    if (!isOff && warned) log.info('The clock of this machine agrees with the database again.')
    warned = isOff
  }

  async function pass(log: ClockLog): Promise<void> {
    // While the database is unreachable, the last offset stays valid: the monotonic clock drifts by microseconds.
    await read().catch(() => undefined)
    if (stopped) return
    warn(log)
    cancel = afterSeconds(readingIntervalSeconds, () => void pass(log))
  }

  for (let n = 0; n < initialReadings; n += 1) await read()
  return {
    clock,
    start(log) {
      warn(log)
      cancel = afterSeconds(readingIntervalSeconds, () => void pass(log))
    },
    stop() {
      stopped = true
      cancel?.()
    },
  }
}

export const skewMessage = (skewSeconds: number): string =>
  `The clock of this machine is ${Math.abs(skewSeconds).toFixed(1)} s ${skewSeconds > 0 ? 'ahead of' : 'behind'} the database. ` +
  'Millrace uses the time of the database. Set the clock of this machine, for instance with NTP.'
