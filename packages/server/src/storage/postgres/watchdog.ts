import { afterSeconds } from '../../lib/time.ts'
import { Session } from './session.ts'
import { unavailability } from './unavailability.ts'

const tickSeconds = 0.5
/** A statement without a response for this long is probed. */
const suspectSeconds = 2
const suspectSecondsWhenClosing = 0.5
/** The timeout of a probe. A database that does not respond within it counts as unreachable. */
const probeSeconds = 2
const probeSecondsWhenClosing = 1

/** A session behind a pooler may wait there for a free connection to the database, which looks like no response. */
const pooledSeconds = 6

const busyQuery = `select pid, application_name from pg_stat_activity
  where (pid = any($1::int[]) or application_name = any($2::text[])) and state in ('active', 'fastpath function call') and wait_event is distinct from 'ClientRead'`

export interface WatchdogOptions {
  /** Of a direct connection where there is one. */
  readonly url: string
  /** Longer than the statement timeout of the database, which normally acts first. */
  readonly timeoutSeconds: number
}

/**
 * Detects silently lost connections. A slow statement and a lost connection look the same to the client, so the watchdog asks the database on a
 * new connection whether the statement is still running. Time is counted in ticks of one timer: after this process was frozen, responses that have
 * already arrived are read before a connection is abandoned.
 */
export class Watchdog {
  readonly #sessions = new Set<Session>()
  readonly #options: WatchdogOptions
  #stop: (() => void) | undefined
  #isProbing = false
  #isClosing = false
  #closed = false

  constructor(options: WatchdogOptions) {
    this.#options = options
  }

  add(session: Session): void {
    this.#sessions.add(session)
    session.once('end', () => this.#sessions.delete(session))
    this.#stop ??= afterSeconds(tickSeconds, () => this.#tick())
  }

  /** Abandons unresponsive connections sooner from now on. */
  shortenTimeouts(): void {
    this.#isClosing = true
  }

  /** Abandons all connections. */
  close(): void {
    this.#closed = true
    this.#stop?.()
    this.#stop = undefined
    for (const session of [...this.#sessions]) session.abandon(new Error('Connection terminated: the server is shutting down'))
  }

  #tick(): void {
    const suspectTicks = Math.ceil((this.#isClosing ? suspectSecondsWhenClosing : suspectSeconds) / tickSeconds)
    const suspects: Session[] = []
    for (const session of this.#sessions) {
      if (session.inFlight === 0) continue
      session.ticksWaited += 1
      if (session.ticksWaited >= suspectTicks) suspects.push(session)
    }
    if (suspects.length > 0 && !this.#isProbing) void this.#probe(suspects)
    this.#stop = this.#sessions.size > 0 && !this.#closed ? afterSeconds(tickSeconds, () => this.#tick()) : undefined
  }

  async #probe(suspects: readonly Session[]): Promise<void> {
    this.#isProbing = true
    const probed = suspects.map((session) => ({ session, ticks: session.ticksWaited }))
    try {
      const isBusy = await this.#readBusy(suspects)
      // A response may be in transit.
      await new Promise<void>((resolve) => afterSeconds(tickSeconds, resolve))
      const timeoutTicks = this.#options.timeoutSeconds / tickSeconds
      for (const { session, ticks } of probed) {
        const hasResponded = session.inFlight === 0 || session.ticksWaited < ticks
        const isWithinTimeout = session.isUnlimited || session.ticksWaited < timeoutTicks
        const mayBeQueued = session.isPooled && isBusy !== undefined && session.ticksWaited < pooledSeconds / tickSeconds
        if (hasResponded || mayBeQueued || (isBusy?.(session) && isWithinTimeout)) continue
        this.#abandon(session, isBusy ? silentDisconnectError() : timeoutError())
      }
    } finally {
      this.#isProbing = false
    }
  }

  /** Tells which sessions still run a statement. Undefined when the database is unreachable. */
  async #readBusy(sessions: readonly Session[]): Promise<((session: Session) => boolean) | undefined> {
    const probe = new Session({ connectionString: this.#options.url, application_name: 'millrace watchdog' })
    const disarm = afterSeconds(this.#isClosing ? probeSecondsWhenClosing : probeSeconds, () => probe.abandon(timeoutError()))
    try {
      await probe.connect()
      const direct = sessions.filter(({ isPooled }) => !isPooled).map(({ pid }) => pid)
      const pooled = sessions.filter(({ isPooled }) => isPooled).map(({ label }) => label)
      const { rows } = await probe.send([{ text: busyQuery, replans: true, values: [direct, pooled] }])
      const busy = new Set(rows.flatMap(({ pid, application_name }) => [Number(pid), application_name]))
      return ({ isPooled, label, pid }) => busy.has(isPooled ? label : pid)
    } catch (error) {
      // The database responds but has no free connection: assume that all statements are still running.
      if (unavailability(error) === undefined || (error as { code?: unknown }).code === '53300') return () => true
      return undefined
    } finally {
      disarm()
      void probe.end().catch(() => undefined)
    }
  }

  /** Abandons idle sessions too: they used the same network path, and each would cost another request a timeout. */
  #abandon(session: Session, reason: Error): void {
    session.abandon(reason)
    for (const other of [...this.#sessions]) if (other.isIdle) other.abandon(reason)
  }
}

/** The database responds on another connection, so a new one works. */
const silentDisconnectError = (): Error => new Error('Connection terminated: no response')

const timeoutError = (): Error => Object.assign(new Error('The database does not respond'), { code: 'ETIMEDOUT' })
