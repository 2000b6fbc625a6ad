import pg from 'pg'
import type { Bus } from '../../lib/bus.ts'
import { afterSeconds } from '../../lib/time.ts'
import { Session } from './session.ts'

/** Notifications reach all servers of one database, and no other database of the cluster. */
const channel = 'millrace'

/** PostgreSQL limits a payload to 8,000 bytes. */
const payloadCharsMax = 4000

const retrySeconds = 1

/** A silently lost connection looks like one without notifications, so it is probed at this interval with this timeout. */
const heartbeatSeconds = 2
const heartbeatTimeoutSeconds = 2

const listenerName = 'millrace listener'

/** Held by each listening session. An application name would not do: the URL of a server may set another one. */
const listenerLock = { group: 7277001, id: 1 } as const

/** The probe counts the other servers that listen. Those of version 0.1 do not hold the lock; the name can go when nobody upgrades from it. */
const countOthers = `select (select count(*) from pg_locks where locktype = 'advisory' and classid = ${listenerLock.group} and objid = ${listenerLock.id} and objsubid = 2
    and database = (select oid from pg_database where datname = current_database()) and pid <> pg_backend_pid())
  + (select count(*) from pg_stat_activity where application_name = '${listenerName}' and datname = current_database() and pid <> pg_backend_pid()) as count`

/** A server that neither saw nor heard another one between this many probes notifies nobody. */
const probesAlone = 2

/**
 * A server whose connection broke silently notices it after a probe and its timeout. Until then it does not hear that another server begins to listen, and may
 * not notify it. So a server that begins to listen looks for changes by itself, each second, until then.
 */
const unheardSeconds = heartbeatSeconds + heartbeatTimeoutSeconds + retrySeconds

/** Anything may have changed. */
const everything = '*'

/** How long the connection may take to close. */
const closeTimeoutSeconds = 0.5

export interface Notifications {
  /** The statement that notifies the other servers when the transaction commits. Undefined while there is no other one. */
  statement(notifications: ReadonlySet<string>): string | undefined
  /** Whether this server listens and has not seen or heard another one for some seconds. */
  isAlone(): boolean
  /** Receives the notifications of other servers until `close`. Reconnects when the connection breaks. */
  listen(bus: Bus): Promise<void>
  close(): Promise<void>
}

interface NotificationOptions {
  readonly isDirect: boolean
  /** The interval of the probes, for tests. */
  readonly probeSeconds?: number
  /** For tests of one server. */
  readonly assumesAlone?: boolean | undefined
}

/**
 * Notifications between servers. PostgreSQL delivers a notification after its transaction commits, in the order of commits. None is lost while the
 * connection works; after a reconnect all listeners are notified once. Behind a pooler a server cannot listen, unless the URL is said to be direct: it
 * may lead through a pooler in session mode.
 *
 * A server that is alone sends no notifications, because each one wakes the listening session of its own sender. It still listens: another server that
 * begins to listen says so, and hears back that anything may have changed, which covers what was committed unheard.
 */
export function openNotifications(
  url: string,
  { isDirect, probeSeconds = heartbeatSeconds, assumesAlone = false }: NotificationOptions,
): Notifications {
  // A server identifies itself by the process id of its listening session, so that it can skip its own notifications. 0 before it listens.
  let listenerPid = 0
  /** Probes since another server was last seen or heard. Only a listening server can be alone. */
  let lonelyProbes = 0
  /** Whether commits were left unheard since another server was last told that anything may have changed. */
  let hasSkipped = false
  let current: Session | undefined
  let stopWaiting: (() => void) | undefined
  let stopLooking: (() => void) | undefined
  let closed = false

  const notification = (...lines: readonly string[]): string => `notify ${channel}, ${pg.escapeLiteral([listenerPid, ...lines].join('\n'))}`

  /** Resolves with true once the session listens. */
  async function connect(bus: Bus): Promise<boolean> {
    const session = new Session({ connectionString: url, application_name: listenerName })
    current = session
    let isLost = false
    const lose = () => {
      if (isLost) return
      isLost = true
      lonelyProbes = 0
      stopWaiting?.()
      session.abandon(new Error('Connection terminated'))
      if (!closed) stopWaiting = afterSeconds(retrySeconds, () => void reconnect(bus))
    }
    session.on('error', lose)
    session.on('end', lose)
    session.on('notification', ({ payload = '' }) => {
      const [senderPid, ...lines] = payload.split('\n')
      if (Number(senderPid) === listenerPid) return
      lonelyProbes = 0
      if (hasSkipped) tellEverything(session, lose)
      for (const line of lines) {
        if (line === everything) bus.notifyAll()
        else bus.notifyFromRemote(...parseNotification(line))
      }
    })
    try {
      await session.connect()
      const disarm = afterSeconds(heartbeatTimeoutSeconds, lose)
      await session.identify()
      if (session.isPooled && !isDirect) {
        // The pooler would give the listening backend to other clients. Without notifications servers poll.
        closed = true
        disarm()
        lose()
        return false
      }
      listenerPid = session.pid
      // Even an empty notification says that this server listens.
      await session.script(
        `select pg_advisory_lock_shared(${listenerLock.group}, ${listenerLock.id}); listen ${channel}; ${notification(...(hasSkipped ? [everything] : []))}`,
      )
      disarm()
      hasSkipped = false
      if (isLost) return false
      probeLater(session, lose)
      lookForChanges(bus, Math.ceil(unheardSeconds))
      return true
    } catch {
      lose()
      return false
    }
  }

  /** Wakes the readers of this server each second, so many times. */
  function lookForChanges(bus: Bus, times: number): void {
    stopLooking?.()
    if (closed || times === 0) return
    stopLooking = afterSeconds(1, () => {
      bus.notifyAll()
      lookForChanges(bus, times - 1)
    })
  }

  function tellEverything(session: Session, lose: () => void): void {
    hasSkipped = false
    session.script(notification(everything)).catch(() => {
      hasSkipped = true
      lose()
    })
  }

  function probeLater(session: Session, lose: () => void): void {
    if (closed) return
    stopWaiting = afterSeconds(probeSeconds, () => {
      const disarm = afterSeconds(heartbeatTimeoutSeconds, lose)
      session.send([{ text: countOthers, replans: true, values: [] }]).then(
        ({ rows: [row] }) => {
          disarm()
          lonelyProbes = Number(row.count) > 0 ? 0 : lonelyProbes + 1
          probeLater(session, lose)
        },
        () => {
          disarm()
          lose()
        },
      )
    })
  }

  async function reconnect(bus: Bus): Promise<void> {
    if ((await connect(bus)) && !closed) bus.notifyAll()
  }

  const isAlone = () => assumesAlone || lonelyProbes >= probesAlone

  return {
    isAlone,
    statement(notifications) {
      if (isAlone()) {
        hasSkipped = true
        return undefined
      }
      const lines = [...notifications]
      const full = notification(...lines)
      // Without hints when the payload is too long.
      return full.length <= payloadCharsMax ? full : notification(...new Set(lines.map((line) => parseNotification(line)[0])))
    },
    async listen(bus) {
      await connect(bus)
    },
    async close() {
      closed = true
      stopWaiting?.()
      stopLooking?.()
      const session = current
      if (!session) return
      const disarm = afterSeconds(closeTimeoutSeconds, () => session.abandon(new Error('Connection terminated')))
      await session.end().catch(() => undefined)
      disarm()
    },
  }
}

/** A topic, optionally followed by a space and a hint. */
function parseNotification(line: string): [topic: string, hint: string] {
  const space = line.indexOf(' ')
  return space < 0 ? [line, ''] : [line.slice(0, space), line.slice(space + 1)]
}
