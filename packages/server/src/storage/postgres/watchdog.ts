import { afterSeconds } from '../../lib/time.ts'
import { Session } from './session.ts'
import { unavailability } from './unavailability.ts'

const tickSeconds = 0.5
/** A statement that waited this long for its answer makes the watchdog look. */
const suspectSeconds = 2
const suspectSecondsWhenClosing = 0.5
/** How long the look may take: a database that does not say a word within it is away. */
const probeSeconds = 2
const probeSecondsWhenClosing = 1

const busyPidsQuery = `select pid from pg_stat_activity
  where pid = any($1::int[]) and state in ('active', 'fastpath function call') and wait_event is distinct from 'ClientRead'`

export interface WatchdogOptions {
  readonly url: string
  /** Longer than the statement time-out of the database server, which normally acts first. */
  readonly timeoutSeconds: number
}

/**
 * Finds connections that died without a word. A slow statement and a dead connection look the same from here, so the database is asked, on a
 * new connection, whether it still works on the statement. Time is counted in turns of one timer: after this process was frozen, answers that lie
 * ready are read before anything is given up.
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

  /** From now on connections are given up sooner. */
  shortenTimeouts(): void {
    this.#isClosing = true
  }

  /** Gives all connections up. */
  close(): void {
    this.#closed = true
    this.#stop?.()
    this.#stop = undefined
    for (const session of [...this.#sessions]) session.abandon(new Error('Connection terminated: the server ends'))
  }

  #tick(): void {
    const suspectTurns = Math.ceil((this.#isClosing ? suspectSecondsWhenClosing : suspectSeconds) / tickSeconds)
    const suspects: Session[] = []
    for (const session of this.#sessions) {
      if (session.inFlight === 0) continue
      session.ticksWaited += 1
      if (session.ticksWaited >= suspectTurns) suspects.push(session)
    }
    if (suspects.length > 0 && !this.#isProbing) void this.#probe(suspects)
    this.#stop = this.#sessions.size > 0 && !this.#closed ? afterSeconds(tickSeconds, () => this.#tick()) : undefined
  }

  async #probe(suspects: readonly Session[]): Promise<void> {
    this.#isProbing = true
    const seen = suspects.map((session) => ({ session, turns: session.ticksWaited }))
    try {
      const working = await this.#listBusyPids(suspects.map(({ pid }) => pid))
      // An answer that was sent just now is still on its way.
      await new Promise<void>((resolve) => afterSeconds(tickSeconds, resolve))
      const patienceTurns = this.#options.timeoutSeconds / tickSeconds
      for (const { session, turns } of seen) {
        const isAnswered = session.inFlight === 0 || session.ticksWaited < turns
        const mayTakeLonger = session.isUnlimited || session.ticksWaited < patienceTurns
        if (isAnswered || (working?.has(session.pid) && mayTakeLonger)) continue
        this.#giveUp(session, working ? silentDisconnectError() : timeoutError())
      }
    } finally {
      this.#isProbing = false
    }
  }

  /** The processes that still work on a statement. Nothing when the database cannot be reached at all. */
  async #listBusyPids(pids: readonly number[]): Promise<Set<number> | undefined> {
    const probe = new Session({ connectionString: this.#options.url, application_name: 'millrace watchdog' })
    const disarm = afterSeconds(this.#isClosing ? probeSecondsWhenClosing : probeSeconds, () => probe.abandon(timeoutError()))
    try {
      await probe.connect()
      const { rows } = await probe.send({ text: busyPidsQuery, name: undefined, values: [pids] })
      return new Set(rows.map(({ pid }) => Number(pid)))
    } catch (error) {
      // There is a database, and it has no connection to spare: nothing is known.
      if (unavailability(error) === undefined || (error as { code?: unknown }).code === '53300') return new Set(pids)
      return undefined
    } finally {
      disarm()
      void probe.end().catch(() => undefined)
    }
  }

  /** What lies idle in the pool was opened on the same way and is not tried out one request at a time. */
  #giveUp(session: Session, why: Error): void {
    session.abandon(why)
    for (const other of [...this.#sessions]) if (other.isIdle) other.abandon(why)
  }
}

/** The database is there, and this connection to it is not: another will do. */
const silentDisconnectError = (): Error => new Error('Connection terminated: it died without a word')

const timeoutError = (): Error => Object.assign(new Error('The database does not answer'), { code: 'ETIMEDOUT' })
