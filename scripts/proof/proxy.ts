import { freePort } from '../../packages/server/test/free-port.ts'
import { hasHaproxy, startHaproxy } from '../../packages/server/test/haproxy.ts'
import { startLoadBalancer } from '../../packages/server/test/load-balancer.ts'
import type { ServerProcess } from '../../packages/server/test/server-process.ts'
import type { ProofRun } from './proof-run.ts'

/** HAProxy with the shipped configuration, or the balancer of the tests where it is not installed. Returns the URL. */
export async function startProxy(run: ProofRun, servers: readonly string[]): Promise<string> {
  if (hasHaproxy) {
    const { url, stop } = await startHaproxy(servers, (text) => run.record('haproxy.log', text.trimEnd()))
    run.defer(stop)
    return url
  }
  const { url, close } = await startLoadBalancer(servers, 100)
  run.defer(close)
  return url
}

export interface Replicas {
  readonly database: string
  /** In the order of their ports. A proof replaces those that it ends. */
  readonly servers: ServerProcess[]
  /** The URL of the proxy. */
  readonly proxy: string
  /** A flow for the runs of the load. */
  readonly flowId: string
  /** Starts a server again on its port, where the proxy expects it. */
  restart(index: number): Promise<void>
}

/** Servers on a new database behind a proxy. */
export async function startReplicas(run: ProofRun, count: number): Promise<Replicas> {
  const database = await run.newDatabase()
  const ports = await Promise.all(Array.from({ length: count }, freePort))
  const start = (index: number) => run.startServer(database, { port: ports[index] as number })
  // The first one migrates the database.
  const first = await start(0)
  const servers = [first, ...(await Promise.all(ports.slice(1).map((_, n) => start(n + 1))))]
  const { id: flowId } = await first.post('/flows/', { name: 'under load' })
  const proxy = await startProxy(
    run,
    servers.map(({ url }) => url),
  )
  return {
    database,
    servers,
    proxy,
    flowId,
    async restart(index) {
      servers[index] = await start(index)
    },
  }
}
