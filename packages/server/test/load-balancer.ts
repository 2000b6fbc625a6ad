import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface LoadBalancer {
  readonly url: string
  /** Number of requests by server URL. */
  readonly requestCounts: ReadonlyMap<string, number>
  /** Failed requests to servers. The balancer never retries. */
  readonly errors: readonly string[]
  close(): Promise<void>
}

/**
 * Distributes requests round-robin, like nginx or HAProxy: over keep-alive connections, and only to servers whose last `/ready` check returned 200.
 */
export async function startLoadBalancer(servers: readonly string[], probeMs: number): Promise<LoadBalancer> {
  const agent = new Agent({ keepAlive: true })
  const ready = new Set(servers)
  const sent = new Map(servers.map((url) => [url, 0]))
  const errors: string[] = []
  let turn = 0

  function forward(request: IncomingMessage, response: ServerResponse): void {
    const able = servers.filter((url) => ready.has(url))
    const server = able[turn++ % able.length]
    if (server === undefined) return void response.writeHead(502).end()
    sent.set(server, (sent.get(server) ?? 0) + 1)
    const upstream = sendRequest(new URL(request.url ?? '/', server), { method: request.method, headers: request.headers, agent })
    upstream.on('response', (answer) => {
      // Client and server connections are independent.
      const { connection: _own, ...headers } = answer.headers
      response.writeHead(answer.statusCode ?? 502, headers)
      answer.pipe(response)
    })
    upstream.on('error', (error: NodeJS.ErrnoException) => {
      errors.push(`${request.method} ${request.url}: ${error.code}`)
      response.writeHead(502).end()
    })
    request.pipe(upstream)
  }

  const probe = async (url: string): Promise<void> => {
    const isReady = await fetch(`${url}/api/ready`).then(
      ({ status }) => status === 200,
      () => false,
    )
    if (isReady) ready.add(url)
    else ready.delete(url)
  }
  const probes = setInterval(() => servers.forEach((url) => void probe(url)), probeMs)
  const server = createServer(forward).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requestCounts: sent,
    errors,
    async close() {
      clearInterval(probes)
      agent.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
