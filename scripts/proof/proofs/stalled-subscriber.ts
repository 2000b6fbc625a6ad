import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { startProgram } from '../child-program.ts'
import { below, exactly, type Figure, largest, observed, percentile } from '../figure.ts'
import type { Proof } from '../proof.ts'
import type { ProofRun } from '../proof-run.ts'
import { isSuccess, send } from '../requests.ts'

const eventsPerSecond = 4
const timeoutSeconds = 5
const env = { MILLRACE_SERVER_API_WEBSOCKET_PING_TIMEOUT_SECONDS: String(timeoutSeconds) }
/** Only the stalled subscriber wants these. More than the buffers of both kernels and of the server. */
const bulkBytes = 16_000_000
const bulkEventBytes = 50_000

interface Report {
  readonly open?: number
  readonly times?: number[]
  readonly closed?: number[]
}

const memoryMb = (pid: number): number => Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

async function run(run: ProofRun): Promise<Figure[]> {
  const server = await run.startServer(await run.newDatabase(), { env })
  const pid = server.child.pid as number
  const times: number[] = []
  let [opened, received, othersClosed] = [0, 0, 0]
  const stalledCodes: number[] = []
  const perProcess = 250
  const total = run.amount
  for (let left = total - 1; left > 0; left -= perProcess) {
    startProgram<Report>(run, 'subscribers', { url: server.url, count: Math.min(left, perProcess), name: 'proof.tick' }, (line) => {
      opened += line.open ?? 0
      received += line.times?.length ?? 0
      for (const time of line.times ?? []) times.push(time)
      othersClosed = Math.max(othersClosed, line.closed?.length ?? 0)
    })
  }
  const stalled = startProgram<Report>(run, 'subscribers', { url: server.url, count: 1, name: 'proof.tick,proof.bulk' }, (line) => {
    opened += line.open ?? 0
    stalledCodes.splice(0, stalledCodes.length, ...(line.closed ?? []))
  })
  while (opened < total) {
    run.checkInterrupted()
    await pause(100)
  }
  let [stopped, sent, refused] = [false, 0, 0]
  const event = (name: string, payload: object) => ({
    id: crypto.randomUUID(),
    event: name,
    occurred: new Date().toISOString(),
    resource: { 'prefect.resource.id': 'proof', 'proof.sent': String(Date.now()) },
    payload,
  })
  const tick = async (): Promise<void> => {
    while (!stopped) {
      sent += 1
      if (!isSuccess(await send(server.url, 'POST', '/events', [event('proof.tick', {})]))) refused += 1
      await pause(1000 / eventsPerSecond)
    }
  }
  const ticking = tick()
  // The server grows by its connections and by compiled code first.
  await pause(8000)
  const before = memoryMb(pid)
  times.length = 0
  const sentBefore = sent

  stalled.child.kill('SIGSTOP')
  let most = before
  const sampler = setInterval(() => {
    most = Math.max(most, memoryMb(pid))
  }, 100)
  const note = 'x'.repeat(bulkEventBytes)
  for (let bytes = 0; bytes < bulkBytes; bytes += bulkEventBytes * 10) {
    const events = Array.from({ length: 10 }, () => event('proof.bulk', { note }))
    if (!isSuccess(await send(server.url, 'POST', '/events', events))) refused += 1
  }
  // The server closes the connection after the timeout, and waits five seconds for an answer.
  await pause((timeoutSeconds + 2) * 1000)
  stalled.child.kill('SIGCONT')
  await pause(3000)
  const measured = times.slice()
  await pause(3000)
  clearInterval(sampler)
  stopped = true
  await ticking
  await pause(2000)
  run.amountText = `${total} subscribers, ${sent - sentBefore} events while one was stalled`
  return [
    exactly('the stalled subscriber is closed with the code', stalledCodes[0] ?? 'not closed', 1013),
    exactly('other subscribers that were closed', othersClosed, 0),
    exactly('events that subscribers did not get', (total - 1) * sent - received, 0),
    below('p99 from the event to the other subscribers', percentile(measured, 0.99) / 1000, 1, 's'),
    observed('longest such time', `${largest(measured)} ms`),
    below('growth of the server while one subscriber is stalled', Math.max(0, most - before), 50, 'MB'),
    exactly('refused events', refused, 0),
  ]
}

export const stalledSubscriber: Proof = {
  id: 'R13',
  promise: 'a subscriber that stops reading is closed and does not hurt a thousand others',
  databases: ['sqlite'],
  full: { amount: 1000, unit: 'subscribers' },
  method: `WebSocket subscribers in processes of their own get ${eventsPerSecond} events a second. One process is stopped by SIGSTOP; its subscriber also wants ${bulkBytes / 1e6} MB of large events, which nobody reads. The timeout of the server is set to ${timeoutSeconds} seconds. When the process continues, it reads the code with which it was closed.`,
  failure:
    'The stalled subscriber is not closed with code 1013, another one is closed or misses an event, 1 % of the events take a second or more, or the memory of the server grows by 50 MB or more.',
  run,
}
