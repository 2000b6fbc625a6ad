import { SyncedClock } from '../lib/synced-clock.ts'
import { afterSeconds, type MachineClock } from '../lib/time.ts'
import type { Connection } from './connection.ts'

/** At the start one slow answer must not decide. */
const initialReadings = 3
const readingIntervalSeconds = 5

/** Beyond this people should hear of it: log lines, clients' clocks and the machine's own timers no longer fit what the server says. */
export const skewWarningSeconds = 2

export interface ClockLog {
  info(message: string): void
  warn(message: string): void
}

export interface ClockSync {
  readonly clock: SyncedClock
  /** Reads the database's clock every few seconds until `stop`, and warns while the machine's clock is off. */
  start(log: ClockLog): void
  stop(): void
}

/** Makes the database's clock the clock of this server: replicas whose own clocks are wrong still agree on leases, lateness and plans. */
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
    // While the database is away the last offset still holds: a steady clock drifts by microseconds.
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
