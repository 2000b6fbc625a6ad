import { StartupError } from '../../lib/startup-error.ts'
import { afterSeconds, monotonicSeconds } from '../../lib/time.ts'
import type { Connection, ReadOptions, SqlValue } from '../connection.ts'
import type { Replica, ReplicaLog, ReplicaStatus } from '../pool.ts'
import { ReplicaLag } from './replica-lag.ts'
import { createReadConnection, openSessionPool, type SessionPoolOptions } from './session-pool.ts'
import { unavailability } from './unavailability.ts'
import { Watchdog } from './watchdog.ts'

/** Everything that was acknowledged is before this position of the log. With `synchronous_commit = off` commits are acknowledged before the flush. */
const primaryPosition = `select pg_wal_lsn_diff(case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn()
    else pg_current_wal_flush_lsn() end, '0/0')::bigint as position`

/** Commits before this position are visible. Null on a server that is no replica. */
const replicaPosition = `select case when pg_is_in_recovery() then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint end as position`

const identityQuery = (system: string) =>
  `select (select oid from pg_database where datname = current_database())::text as database, ${system} as system`

/** How long a read waits until the replica has what was committed before. Then the primary answers it. */
const catchUpSeconds = 0.1
/** After a read waited in vain, others do not wait for this long. */
const impatientSeconds = 1
/** The pause between two looks at a replica that is behind. */
const pollSeconds = 0.003
const measureSeconds = 1
/** A replica that does not tell its position within this time counts as unreachable. */
const answerSeconds = 1

export interface ReadReplicaOptions extends Pick<SessionPoolOptions, 'max' | 'settings' | 'onError'> {
  readonly url: string
  readonly lagSecondsMax: number
  readonly primary: Connection
  readonly timeoutSeconds: number
}

/**
 * Answers reads by a replica, as current as the primary would: a read first asks the primary for its position in the log, which is cheap, and goes to
 * the replica once that has replayed it. Otherwise, and when the replica fails or is far behind, the primary answers.
 */
export function openReadReplica({ url, lagSecondsMax, primary, timeoutSeconds, ...pool }: ReadReplicaOptions): Replica & { close(): Promise<void> } {
  const watchdog = new Watchdog({ url, timeoutSeconds })
  const sessions = openSessionPool(url, { ...pool, watchdog, usesNames: ({ isPooled }) => !isPooled })
  const replica = createReadConnection(sessions)
  const lag = new ReplicaLag()
  let state: ReplicaStatus['state'] = 'unreachable'
  let problem = 'it has not been asked yet'
  let reads = 0
  let primaryReads = 0
  let lastTimeoutAt = Number.NEGATIVE_INFINITY
  let stopTimer: (() => void) | undefined
  let log: ReplicaLog | undefined
  let closed = false
  let isIdentified = false

  /** The cluster is compared where the user may read its identifier. */
  const readIdentity = async (connection: Connection): Promise<string> => {
    const ask = (system: string) => connection.all(identityQuery(system), [])
    return JSON.stringify(await ask('(select system_identifier from pg_control_system())::text').catch(() => ask("''")))
  }

  const readPosition = async (connection: Connection, text: string): Promise<number | null> =>
    (await connection.all<{ position: number | null }>(text, []))[0]?.position ?? null

  const askPrimary = shareNext(async () => {
    const askedAt = monotonicSeconds()
    const position = (await readPosition(primary, primaryPosition)) ?? 0
    lag.observePrimary(position, askedAt)
    return position
  })
  const askReplica = shareNext(async () => {
    const position = await readPosition(replica, replicaPosition)
    if (position === null) throw new Error(notReplica)
    lag.observeReplica(position)
    return position
  })

  /** Whether the replica reaches the position soon. */
  async function waitForReplay(wanted: number): Promise<boolean> {
    const deadline = monotonicSeconds() + catchUpSeconds
    const isPatient = monotonicSeconds() - lastTimeoutAt > impatientSeconds
    for (let attempt = 0; lag.replayed < wanted; attempt += 1) {
      if (attempt > 0) {
        if (!isPatient || monotonicSeconds() > deadline) {
          if (isPatient) lastTimeoutAt = monotonicSeconds()
          return false
        }
        await new Promise<void>((resolve) => afterSeconds(pollSeconds, resolve))
      }
      await withTimeout(askReplica(), catchUpSeconds)
    }
    return true
  }

  /** The rows, unless the backend that read them has not reached the position. The URL may lead to several replicas, so the backend itself is asked. */
  const readAt = async <R>(wanted: number, text: string, values: readonly SqlValue[], options?: ReadOptions): Promise<R[] | undefined> =>
    sessions.withSession(async (session) => {
      const began = session.isPooled ? session.script(session.beginText) : undefined
      const asked = session.send([{ text: replicaPosition, values: [] }])
      const sent = session.send([{ text, values, replans: options?.replans }])
      const ended = session.isPooled ? session.script('commit') : undefined
      await Promise.allSettled([began, asked, sent, ended])
      await began
      const { position } = (await asked).rows[0] as { position: number | null }
      if (position === null) throw new Error(notReplica)
      const { rows } = await sent
      return position < wanted ? undefined : (rows as R[])
    })

  async function readReplica<R>(text: string, values: readonly SqlValue[], options?: ReadOptions): Promise<R[] | undefined> {
    const wanted = await askPrimary().catch(() => undefined)
    if (wanted === undefined) return undefined
    try {
      return (await waitForReplay(wanted)) ? await readAt<R>(wanted, text, values, options) : undefined
    } catch (error) {
      // The statement takes too long. It would on the primary too.
      if ((error as { code?: unknown }).code === '57014') throw error
      // A conflict with recovery (40001), a lost connection, or a replica that is being promoted. Other errors happen on the primary too.
      if (isDown(error)) setState('unreachable', messageOf(error))
      return undefined
    }
  }

  async function read<R>(text: string, values: readonly SqlValue[], options?: ReadOptions): Promise<R[]> {
    const rows = state === 'used' ? await readReplica<R>(text, values, options) : undefined
    if (rows) reads += 1
    else primaryReads += 1
    return rows ?? primary.all<R>(text, values, options)
  }

  function setState(next: ReplicaStatus['state'], reason: string): void {
    problem = reason
    if (next === state) return
    state = next
    if (next === 'used') log?.info(`The read replica is used for lists and counts. ${describeLag(lag.seconds(monotonicSeconds()))}`)
    else log?.warn(`The read replica is not used, because ${reason}. The primary answers all reads.`)
  }

  async function measure(): Promise<void> {
    // While the primary is unreachable, nothing is known about the lag, and reads fail anyway.
    const isKnown = await askPrimary().then(
      () => true,
      () => false,
    )
    if (isKnown) await measureReplica()
    if (!closed) stopTimer = afterSeconds(measureSeconds, () => void measure())
  }

  async function measureReplica(): Promise<void> {
    try {
      if (!isIdentified && (await withTimeout(readIdentity(replica), answerSeconds)) !== (await readIdentity(primary))) throw new Error(otherDatabase)
      isIdentified = true
      await withTimeout(askReplica(), answerSeconds)
      const seconds = lag.seconds(monotonicSeconds())
      if (seconds > lagSecondsMax)
        setState('behind', `it is ${seconds.toFixed(1)} s behind (MILLRACE_DATABASE_READ_MAX_LAG_SECONDS is ${lagSecondsMax})`)
      else setState('used', '')
    } catch (error) {
      setState('unreachable', messageOf(error))
    }
  }

  return {
    connection: {
      all: read,
      run: (text, values) => primary.run(text, values),
      runEach: (text, rows) => primary.runEach(text, rows),
      script: (text) => primary.script(text),
    },
    async start(given) {
      await measure()
      log = given
      if (problem === otherDatabase)
        throw new StartupError(
          'databaseUnusable',
          'MILLRACE_DATABASE_READ_URL leads to another database than MILLRACE_DATABASE_URL. Correct one of them.',
        )
      if (state !== 'used') given.warn(`The read replica is not used, because ${problem}. The primary answers all reads.`)
    },
    status: () => ({
      state,
      problem: state === 'used' ? null : problem,
      lag_seconds: state === 'unreachable' ? null : round(lag.seconds(monotonicSeconds())),
      lag_bytes: state === 'unreachable' ? null : lag.bytes(),
      maximum_lag_seconds: lagSecondsMax,
      replica_reads: reads,
      primary_reads: primaryReads,
    }),
    async close() {
      closed = true
      stopTimer?.()
      await sessions.end()
      watchdog.close()
    },
  }
}

/** Calls that arrive while one is under way share the next one, which begins after them. */
function shareNext<R>(call: () => Promise<R>): () => Promise<R> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<R> | undefined
  return () => {
    next ??= running.then(() => {
      next = undefined
      const result = call()
      running = result.catch(() => undefined)
      return result
    })
    return next
  }
}

async function withTimeout<R>(answer: Promise<R>, seconds: number): Promise<R> {
  let stop = () => {}
  const timeout = new Promise<never>((_resolve, reject) => {
    stop = afterSeconds(seconds, () => reject(Object.assign(new Error(`it does not answer within ${seconds} seconds`), { code: 'ETIMEDOUT' })))
  })
  answer.catch(() => undefined)
  return Promise.race([answer, timeout]).finally(stop)
}

const isDown = (error: unknown): boolean => ['lost', 'unreachable'].includes(unavailability(error) ?? '') || messageOf(error) === notReplica

const otherDatabase = 'it is another database'
const notReplica = 'it is not a replica'

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const describeLag = (seconds: number): string => (seconds < 1 ? 'It is less than a second behind.' : `It is ${seconds.toFixed(1)} s behind.`)

const round = (seconds: number): number => Math.round(seconds * 1000) / 1000
