import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { TestApp } from './setup.ts'

/** Runs on its own thread. Collects the label `number` of each event, and pauses reading on request. */
const subscriberSource = `
const { parentPort, workerData } = require('node:worker_threads')
const { url, filter, count } = workerData
const socket = new WebSocket(url, 'prefect')
const numbers = []
let greeted = false
socket.onopen = () => socket.send(JSON.stringify({ type: 'auth', token: null }))
socket.onclose = ({ code, reason }) => parentPort.postMessage({ code, reason, numbers })
socket.onmessage = ({ data }) => {
  if (!greeted) {
    greeted = true
    socket.send(JSON.stringify({ type: 'filter', filter }))
    return
  }
  numbers.push(Number(JSON.parse(data).event.resource.number))
  if (numbers.length === count) parentPort.postMessage({ numbers })
}
`

export interface SubscriberResult {
  readonly numbers: number[]
  /** The reason when the connection closed before all events had arrived. */
  readonly code?: number
  readonly reason?: string
}

/**
 * Subscribes to events over a real connection from another thread, and gives their labels \`number\` once so many have come. Nothing but the server
 * works on this thread meanwhile. Without a real connection a client would never lag behind.
 */
export async function subscribeFromThread(app: TestApp, filter: object, count: number): Promise<SubscriberResult> {
  if (!app.server.server.listening) await app.server.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.server.address() as { port: number }
  const worker = new Worker(subscriberSource, { eval: true, workerData: { url: `ws://127.0.0.1:${address.port}/api/events/out`, filter, count } })
  try {
    const [received] = await once(worker, 'message')
    return received as SubscriberResult
  } finally {
    await worker.terminate()
  }
}
