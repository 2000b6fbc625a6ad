import pg from 'pg'
import type { Bus } from '../../lib/bus.ts'
import { afterSeconds } from '../../lib/time.ts'

/** Notices go to all servers of one database, and to no other database of the cluster. */
const channel = 'millrace'

/** PostgreSQL takes 8,000 bytes. */
const payloadCharsMax = 4000

const retrySeconds = 1

export interface Notices {
  /** Ends a transaction and tells the other servers, in one round trip. */
  commit(notices: ReadonlySet<string>): string
  /** Hears what the others tell, from when this resolves until `close`. A connection that breaks is made anew. */
  listen(bus: Bus): Promise<void>
  close(): Promise<void>
}

/**
 * What servers tell each other when they commit. PostgreSQL delivers a notice once its transaction is committed, and in the order of commits. It
 * loses none while a connection stands; after it has broken, everybody is woken once.
 */
export function openNotices(url: string): Notices {
  // Whoever tells is known by the process that listens for it, so that it can pass over its own notices: 0 until it listens.
  let self = 0
  let current: pg.Client | undefined
  let stopWaiting: (() => void) | undefined
  let closed = false

  /** Resolves with whether it listens. */
  async function connect(bus: Bus): Promise<boolean> {
    const client = new pg.Client({ connectionString: url, application_name: 'millrace listener', keepAlive: true, connectionTimeoutMillis: 10_000 })
    current = client
    let isLost = false
    const lose = () => {
      if (isLost) return
      isLost = true
      void client.end().catch(() => undefined)
      if (closed) return
      stopWaiting = afterSeconds(retrySeconds, () => void reconnect(bus))
    }
    client.on('error', lose)
    client.on('end', lose)
    client.on('notification', ({ payload = '' }) => {
      const [from, ...notices] = payload.split('\n')
      if (Number(from) === self) return
      for (const notice of notices) bus.hear(...split(notice))
    })
    try {
      await client.connect()
      const { rows } = await client.query('select pg_backend_pid() as pid')
      await client.query(`listen ${channel}`)
      self = rows[0].pid
      return true
    } catch {
      lose()
      return false
    }
  }

  async function reconnect(bus: Bus): Promise<void> {
    if ((await connect(bus)) && !closed) bus.wakeAll()
  }

  return {
    commit(notices) {
      const lines = [...notices]
      const whole = [self, ...lines].join('\n')
      // What does not fit in is still worth a wake-up.
      const payload = whole.length <= payloadCharsMax ? whole : [self, ...new Set(lines.map((line) => split(line)[0]))].join('\n')
      return `notify ${channel}, ${pg.escapeLiteral(payload)}; commit`
    },
    async listen(bus) {
      await connect(bus)
    },
    async close() {
      closed = true
      stopWaiting?.()
      await current?.end().catch(() => undefined)
    },
  }
}

/** A topic, and after a space what is to be said of it. */
function split(notice: string): [topic: string, note: string] {
  const space = notice.indexOf(' ')
  return space < 0 ? [notice, ''] : [notice.slice(0, space), notice.slice(space + 1)]
}
