import { once } from 'node:events'
import { createServer, connect as dial, type Socket } from 'node:net'

/** A TCP proxy in front of a PostgreSQL server that simulates network failures. */
export interface TcpProxy {
  /** The same URL as the target's, through the proxy. */
  readonly url: string
  /** Stops forwarding in both directions, also for new connections, without closing them, like a network that drops packets. */
  blackHole(): void
  /** Forwards new connections again. Existing ones stay frozen, as behind a firewall that dropped their state. */
  allowNewConnections(): void
  /** Forwards all connections again, including buffered data. */
  resume(): void
  /** Closes all connections and refuses new ones until `acceptConnections`. */
  refuseConnections(): Promise<void>
  acceptConnections(): Promise<void>
  /** Ends all connections, with a reset or a normal close. */
  closeConnections(how: 'reset' | 'close'): void
  /** Round trips so far on all connections: how often a client sent data after the server had. */
  roundTrips(): number
  close(): Promise<void>
}

interface ProxiedConnection {
  readonly client: Socket
  readonly server: Socket
  frozen: boolean
}

export async function startTcpProxy(targetUrl: string): Promise<TcpProxy> {
  const target = new URL(targetUrl)
  const pairs = new Set<ProxiedConnection>()
  let isBlackHole = false
  let trips = 0

  const listener = createServer((client) => {
    const server = dial(Number(target.port), target.hostname)
    const pair: ProxiedConnection = { client, server, frozen: isBlackHole }
    pairs.add(pair)
    let lastSender: Socket | undefined
    const forward = (from: Socket, to: Socket) => {
      from.setNoDelay(true)
      from.on('data', (piece) => {
        if (from === client && lastSender !== client) trips += 1
        lastSender = from
        to.write(piece)
      })
      from.on('error', () => to.destroy())
      from.on('close', () => {
        if (client.destroyed && server.destroyed) pairs.delete(pair)
        // A frozen connection does not forward its end either.
        if (!pair.frozen || from === client) to.destroy()
      })
      if (pair.frozen) from.pause()
    }
    forward(client, server)
    forward(server, client)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const url = new URL(targetUrl)
  url.hostname = '127.0.0.1'
  url.port = String(address.port)

  const freeze = () => {
    for (const pair of pairs) {
      pair.frozen = true
      pair.client.pause()
      pair.server.pause()
    }
  }
  const destroy = (pair: ProxiedConnection, how: 'reset' | 'close' = 'close') => {
    pair.frozen = false
    // Resetting a connection that is closing leaks a handle, which keeps a worker thread alive.
    if (how === 'reset' && pair.client.writable && !pair.client.destroyed) pair.client.resetAndDestroy()
    else pair.client.destroy()
    pair.server.destroy()
  }
  return {
    url: url.href,
    blackHole() {
      isBlackHole = true
      freeze()
    },
    allowNewConnections() {
      isBlackHole = false
    },
    resume() {
      isBlackHole = false
      for (const pair of pairs) {
        pair.frozen = false
        // Data of the server first: a write to a session that the server ended can discard its last messages.
        pair.server.resume()
        setImmediate(() => pair.client.resume())
      }
    },
    async refuseConnections() {
      for (const pair of [...pairs]) destroy(pair)
      listener.close()
      await once(listener, 'close')
    },
    async acceptConnections() {
      listener.listen(address.port, '127.0.0.1')
      await once(listener, 'listening')
    },
    closeConnections(how) {
      for (const pair of [...pairs]) destroy(pair, how)
    },
    roundTrips: () => trips,
    async close() {
      isBlackHole = false
      for (const pair of [...pairs]) destroy(pair)
      if (!listener.listening) return
      listener.close()
      await once(listener, 'close')
    },
  }
}
