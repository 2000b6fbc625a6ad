import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { TestApp } from './setup.ts'

/** Runs on a thread of its own. Keeps of each event its label `number`, and stops reading for a while if told to. */
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
  /** Why the connection ended, when it did before all events had come. */
  readonly code?: number
  readonly reason?: string
}

/**
 * Subscribes to events over a real connection from another thread, and gives their labels \`number\` once so many have come. Nothing but the server
 * works on this thread meanwhile. Without a network between them, a client that reads at once is never behind.
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
