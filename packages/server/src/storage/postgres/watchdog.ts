import { afterSeconds } from '../../lib/time.ts'
import { Session } from './session.ts'
import { unavailability } from './unavailable.ts'

const turnSeconds = 0.5
/** A statement that waited this long for its answer makes the watchdog look. */
const suspectSeconds = 2
const suspectSecondsInHurry = 0.5
/** How long the look may take: a database that does not say a word within it is away. */
const probeSeconds = 2
const probeSecondsInHurry = 1

const isWorking = `select pid from pg_stat_activity
  where pid = any($1::int[]) and state in ('active', 'fastpath function call') and wait_event is distinct from 'ClientRead'`

export interface WatchdogOptions {
  readonly url: string
  /** Longer than the statement time-out of the database server, which normally acts first. */
  readonly patienceSeconds: number
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
  #looking = false
  #inHurry = false
  #closed = false

  constructor(options: WatchdogOptions) {
    this.#options = options
  }

  add(session: Session): void {
    this.#sessions.add(session)
    session.once('end', () => this.#sessions.delete(session))
    this.#stop ??= afterSeconds(turnSeconds, () => this.#turn())
  }

  /** From now on connections are given up sooner. */
  hurry(): void {
    this.#inHurry = true
  }

  /** Gives all connections up. */
  close(): void {
    this.#closed = true
    this.#stop?.()
    this.#stop = undefined
    for (const session of [...this.#sessions]) session.abandon(new Error('Connection terminated: the server ends'))
  }

  #turn(): void {
    const suspectTurns = Math.ceil((this.#inHurry ? suspectSecondsInHurry : suspectSeconds) / turnSeconds)
    const suspects: Session[] = []
    for (const session of this.#sessions) {
      if (session.inFlight === 0) continue
      session.turnsWaited += 1
      if (session.turnsWaited >= suspectTurns) suspects.push(session)
    }
    if (suspects.length > 0 && !this.#looking) void this.#look(suspects)
    this.#stop = this.#sessions.size > 0 && !this.#closed ? afterSeconds(turnSeconds, () => this.#turn()) : undefined
  }

  async #look(suspects: readonly Session[]): Promise<void> {
    this.#looking = true
    const seen = suspects.map((session) => ({ session, turns: session.turnsWaited }))
    try {
      const working = await this.#workingOn(suspects.map(({ pid }) => pid))
      // An answer that was sent just now is still on its way.
      await new Promise<void>((resolve) => afterSeconds(turnSeconds, resolve))
      const patienceTurns = this.#options.patienceSeconds / turnSeconds
      for (const { session, turns } of seen) {
        const isAnswered = session.inFlight === 0 || session.turnsWaited < turns
        const mayTakeLonger = session.unlimited || session.turnsWaited < patienceTurns
        if (isAnswered || (working?.has(session.pid) && mayTakeLonger)) continue
        this.#giveUp(session, working ? brokenSilently() : noAnswer())
      }
    } finally {
      this.#looking = false
    }
  }

  /** The processes that still work on a statement. Nothing when the database cannot be reached at all. */
  async #workingOn(pids: readonly number[]): Promise<Set<number> | undefined> {
    const probe = new Session({ connectionString: this.#options.url, application_name: 'millrace watchdog' })
    const disarm = afterSeconds(this.#inHurry ? probeSecondsInHurry : probeSeconds, () => probe.abandon(noAnswer()))
    try {
      await probe.connect()
      const { rows } = await probe.send({ text: isWorking, name: undefined, values: [pids] })
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
    for (const other of [...this.#sessions]) if (other.idle) other.abandon(why)
  }
}

/** The database is there, and this connection to it is not: another will do. */
const brokenSilently = (): Error => new Error('Connection terminated: it died without a word')

const noAnswer = (): Error => Object.assign(new Error('The database does not answer'), { code: 'ETIMEDOUT' })
