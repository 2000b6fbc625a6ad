import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { findChangeProblems } from '../../../packages/server/test/acknowledged-changes.ts'
import { startFailoverLoad } from '../../../packages/server/test/failover-load.ts'
import { changeFigures } from '../change-figures.ts'
import { below, exactly, largest, observed } from '../figure.ts'
import type { Proof } from '../proof.ts'
import type { ProofRun } from '../proof-run.ts'
import { startReplicas } from '../proxy.ts'
import { send } from '../requests.ts'

const clients = 16
const sockets = 5
const replicas = 2

/** Opens WebSockets. Each value resolves to the code with which its socket closes. */
async function openSockets(url: string): Promise<{ readonly code: Promise<number> }[]> {
  const open = async () => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/events/out`, ['prefect'])
    const code = new Promise<number>((resolve) => socket.addEventListener('close', (event) => resolve(event.code)))
    await once(socket, 'open')
    socket.send(JSON.stringify({ type: 'auth', token: null }))
    return { code }
  }
  return Promise.all(Array.from({ length: sockets }, open))
}

async function run(run: ProofRun) {
  const { database, servers, proxy, flowId, restart } = await startReplicas(run, replicas)
  const load = startFailoverLoad(proxy, {
    clients,
    flowId,
    random: run.random,
    onFailure: (failure, text, path) => run.record('failures.jsonl', { failure, path, text }),
  })
  run.defer(() => load.stop())
  await load.waitFor(100)
  const stopSeconds: number[] = []
  const codes = new Map<number, number>()
  let [exits, readyBeforeEnd] = [0, 0]
  for (let n = 0; n < run.amount; n += 1) {
    run.checkInterrupted()
    const index = n % servers.length
    const server = servers[index] as (typeof servers)[0]
    const closed = await openSockets(server.url)
    await pause(run.between(200, 1200))
    const began = performance.now()
    const exit = server.kill('SIGTERM')
    // Readiness goes first: the server still answers, and says that it is not ready.
    await pause(100)
    const [ready, health] = await Promise.all([send(server.url, 'GET', '/ready'), send(server.url, 'GET', '/health')])
    if (ready.status === 503 && health.status === 200) readyBeforeEnd += 1
    if ((await exit) === 0) exits += 1
    stopSeconds.push((performance.now() - began) / 1000)
    for (const code of await Promise.all(closed.map((socket) => socket.code))) codes.set(code, (codes.get(code) ?? 0) + 1)
    await restart(index)
    // Until the balancer sends requests to both again.
    await pause(2500)
  }
  await load.stop()
  const app = await run.openDatabase(database)
  const problems = await findChangeProblems(app.context.reads, load.acknowledged, flowId)
  const failed = [...load.failures.values()].reduce((sum, count) => sum + count, 0)
  return [
    observed('acknowledged writes', load.acknowledged.length),
    exactly('errors that clients of the balancer saw', failed, 0),
    exactly('stops that answered /ready with 503 and other requests as before', readyBeforeEnd, run.amount),
    exactly('stops with exit code 0', exits, run.amount),
    exactly('WebSockets closed with 1012', codes.get(1012) ?? 0, sockets * run.amount),
    below('longest stop', largest(stopSeconds), 20, 's'),
    ...changeFigures(problems),
  ]
}

export const gracefulStop: Proof = {
  id: 'R18',
  promise: 'a server that stops under load behind a balancer causes no client error',
  databases: ['postgres'],
  full: { amount: 10, unit: 'stops' },
  method: `Two replicas behind HAProxy with the configuration of \`deploy/proxy\`, ${clients} clients that write without pause, ${sockets} WebSockets on the server that stops. Each in turn gets SIGTERM and is started again. The default settings apply: a server whose \`/ready\` is polled answers for five more seconds, then finishes what is in flight within ten.`,
  failure:
    'A client of the balancer sees any error, the server does not announce its end by `/ready` first, exits with another code than 0, needs 20 seconds (five of delay, ten of grace, and a margin) or more, a WebSocket closes with another code than 1012, or an acknowledged write is lost.',
  run,
}
