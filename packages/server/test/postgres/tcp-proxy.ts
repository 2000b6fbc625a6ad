import { once } from 'node:events'
import { createServer, connect as dial, type Socket } from 'node:net'

/** A TCP proxy in front of a PostgreSQL server, with which a test breaks the network. */
export interface TcpProxy {
  /** The same URL as the target's, through the proxy. */
  readonly url: string
  /** Stops forwarding, in both directions and for new connections too, without closing anything: packets that nobody answers. */
  blackHole(): void
  /** Lets new connections through again. Those of before stay silent for ever, as behind a firewall that forgot them. */
  allowNewConnections(): void
  /** Forwards everything again, also what was sent meanwhile. */
  resume(): void
  /** Resets all connections and refuses new ones, until `accept`. */
  refuseConnections(): Promise<void>
  acceptConnections(): Promise<void>
  /** Ends all connections, with a reset or in order. */
  closeConnections(how: 'reset' | 'close'): void
  /** How often the client spoke after the server had: the round trips so far, on all connections together. */
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
    let lastSpoke: Socket | undefined
    const forward = (from: Socket, to: Socket) => {
      from.setNoDelay(true)
      from.on('data', (piece) => {
        if (from === client && lastSpoke !== client) trips += 1
        lastSpoke = from
        to.write(piece)
      })
      from.on('error', () => to.destroy())
      from.on('close', () => {
        if (client.destroyed && server.destroyed) pairs.delete(pair)
        // The end of a connection does not get through a black hole either.
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
    // A reset of a connection that is being ended leaves a handle behind, which keeps a worker thread from ending.
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
        // The database's last words come before the client's next: a write to a session that it ended may cost them.
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
