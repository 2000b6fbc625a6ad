import pg from 'pg'
import type { Bus } from '../../lib/bus.ts'
import { afterSeconds } from '../../lib/time.ts'
import { Session } from './session.ts'

/** Notices go to all servers of one database, and to no other database of the cluster. */
const channel = 'millrace'

/** PostgreSQL takes 8,000 bytes. */
const payloadCharsMax = 4000

const retrySeconds = 1

/** A connection that died without a word hears nothing, which looks like quiet: it is asked this often, and given so long to answer. */
const heartbeatSeconds = 2
const heartbeatTimeoutSeconds = 2

/** How long the connection may take to say goodbye. */
const closeTimeoutSeconds = 0.5

export interface Notifications {
  /** The statement that tells the other servers when the transaction commits. */
  statement(notices: ReadonlySet<string>): string
  /** Hears what the others tell, from when this resolves until `close`. A connection that breaks is made anew. */
  listen(bus: Bus): Promise<void>
  close(): Promise<void>
}

/**
 * What servers tell each other when they commit. PostgreSQL delivers a notice once its transaction is committed, and in the order of commits. It
 * loses none while a connection stands; after it has broken, everybody is woken once.
 */
export function openNotifications(url: string): Notifications {
  // Whoever tells is known by the process that listens for it, so that it can pass over its own notices: 0 until it listens.
  let listenerPid = 0
  let current: Session | undefined
  let stopWaiting: (() => void) | undefined
  let closed = false

  /** Resolves with whether it listens. */
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
      const [from, ...notices] = payload.split('\n')
      if (Number(from) === listenerPid) return
      for (const notice of notices) bus.notifyFromRemote(...parseNotification(notice))
    })
    try {
      await session.connect()
      const disarm = afterSeconds(heartbeatTimeoutSeconds, lose)
      const { rows } = await session.send({ text: 'select pg_backend_pid() as pid', name: undefined, values: [] })
      await session.script(`listen ${channel}`)
      disarm()
      listenerPid = rows[0].pid
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
    statement(notices) {
      const lines = [...notices]
      const whole = [listenerPid, ...lines].join('\n')
      // What does not fit in is still worth a wake-up.
      const payload = whole.length <= payloadCharsMax ? whole : [listenerPid, ...new Set(lines.map((line) => parseNotification(line)[0]))].join('\n')
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

/** A topic, and after a space what is to be said of it. */
function parseNotification(notice: string): [topic: string, note: string] {
  const space = notice.indexOf(' ')
  return space < 0 ? [notice, ''] : [notice.slice(0, space), notice.slice(space + 1)]
}
