import type { BenchContext } from './workload.ts'

export interface ReceivedEvent {
  readonly id: string
  readonly event: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly related: readonly Readonly<Record<string, string>>[]
}

const handshakeMs = 15_000

/** Connects to `/events/out`. Resolves to a function that closes the connection, once the server has accepted the credentials. */
export function subscribe(context: BenchContext, number: number, filter: object, onEvent: (event: ReceivedEvent) => void): Promise<() => void> {
  const url = `${(context.urls[number % context.urls.length] as string).replace(/^http/, 'ws')}/events/out`
  const socket = new WebSocket(url, 'prefect')
  const { promise, resolve, reject } = Promise.withResolvers<() => void>()
  const timer = setTimeout(() => reject(new Error(`${url}: no handshake within ${handshakeMs} ms`)), handshakeMs)
  socket.onopen = () => socket.send(JSON.stringify({ type: 'auth', token: context.token ?? null }))
  socket.onmessage = ({ data }) => {
    const frame = JSON.parse(String(data))
    if (frame.type === 'event') return onEvent(frame.event)
    if (frame.type !== 'auth_success') return
    clearTimeout(timer)
    socket.send(JSON.stringify({ type: 'filter', filter }))
    resolve(() => socket.close())
  }
  socket.onerror = () => reject(new Error(`${url}: cannot connect`))
  socket.onclose = ({ code }) => reject(new Error(`${url}: closed with ${code}`))
  return promise.finally(() => clearTimeout(timer))
}
