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

/** How long the connection may take to close. */
const closeTimeoutSeconds = 0.5

export interface Notifications {
  /** The statement that notifies the other servers when the transaction commits. */
  statement(notifications: ReadonlySet<string>): string
  /** Receives the notifications of other servers until `close`. Reconnects when the connection breaks. */
  listen(bus: Bus): Promise<void>
  close(): Promise<void>
}

/**
 * Notifications between servers. PostgreSQL delivers a notification after its transaction commits, in the order of commits. None is lost while the
 * connection works; after a reconnect all listeners are notified once. Behind a pooler a server cannot listen, unless the URL is said to be direct: it
 * may lead through a pooler in session mode.
 */
export function openNotifications(url: string, { isDirect }: { readonly isDirect: boolean }): Notifications {
  // A server identifies itself by the process id of its listening session, so that it can skip its own notifications. 0 before it listens.
  let listenerPid = 0
  let current: Session | undefined
  let stopWaiting: (() => void) | undefined
  let closed = false

  /** Resolves with true once the session listens. */
  async function connect(bus: Bus): Promise<boolean> {
    const session = new Session({ connectionString: url, application_name: 'millrace listener' })
    current = session
    let isLost = false
    const lose = () => {
      if (isLost) return
      isLost = true
      stopWaiting?.()
      session.abandon(new Error('Connection terminated'))
      if (!closed) stopWaiting = afterSeconds(retrySeconds, () => void reconnect(bus))
    }
    session.on('error', lose)
    session.on('end', lose)
    session.on('notification', ({ payload = '' }) => {
      const [senderPid, ...lines] = payload.split('\n')
      if (Number(senderPid) === listenerPid) return
      for (const line of lines) bus.notifyFromRemote(...parseNotification(line))
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
      await session.script(`listen ${channel}`)
      disarm()
      listenerPid = session.pid
      if (!isLost) heartbeatLater(session, lose)
      return !isLost
    } catch {
      lose()
      return false
    }
  }

  function heartbeatLater(session: Session, lose: () => void): void {
    if (closed) return
    stopWaiting = afterSeconds(heartbeatSeconds, () => {
      const disarm = afterSeconds(heartbeatTimeoutSeconds, lose)
      session.script('select 1').then(
        () => {
          disarm()
          heartbeatLater(session, lose)
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

  return {
    statement(notifications) {
      const lines = [...notifications]
      const full = [listenerPid, ...lines].join('\n')
      // Without hints when the payload is too long.
      const payload = full.length <= payloadCharsMax ? full : [listenerPid, ...new Set(lines.map((line) => parseNotification(line)[0]))].join('\n')
      return `notify ${channel}, ${pg.escapeLiteral(payload)}`
    },
    async listen(bus) {
      await connect(bus)
    },
    async close() {
      closed = true
      stopWaiting?.()
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
