import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { BenchContext } from './workload.ts'

export interface EventSender {
  send(event: object): void
  /** Resolves when all events are stored: the server answers a ping after that. */
  confirm(): Promise<void>
  close(): void
}

const answerMs = 30_000

/** Connects to `/events/in`, as each process of a client does. The WebSocket of Node cannot send the ping that asks whether events are stored. */
export async function openEventSender({ urls, token }: BenchContext, number: number): Promise<EventSender> {
  const url = `${(urls[number % urls.length] as string).replace(/^http/, 'ws')}/events/in`
  const socket = new WebSocket(url, ['prefect'])
  const ended = new AbortController()
  socket.once('close', (code) => ended.abort(new Error(`${url}: closed with ${code}`)))
  const next = (name: string) => once(socket, name, { signal: AbortSignal.any([ended.signal, AbortSignal.timeout(answerMs)]) })
  try {
    await next('open')
    socket.send(JSON.stringify({ type: 'auth', token: token ?? null }))
    await next('message')
  } catch (error) {
    socket.on('error', () => {})
    socket.terminate()
    throw error
  }
  return {
    send: (event) => socket.send(JSON.stringify(event)),
    async confirm() {
      const confirmed = next('pong')
      socket.ping()
      await confirmed
    },
    close: () => socket.close(),
  }
}
