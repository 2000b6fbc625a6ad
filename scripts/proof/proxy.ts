import { hasHaproxy, startHaproxy } from '../../packages/server/test/haproxy.ts'
import { startLoadBalancer } from '../../packages/server/test/load-balancer.ts'
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
