import { apiUrl } from './client.ts'
import { readCredentials } from './credentials.ts'

export interface SocketHandlers {
  /** Called for every frame after the handshake. */
  onFrame(frame: { readonly type: string } & Record<string, unknown>): void
  onOpen?(): void
  onDisconnect?(): void
}

const backoffSecondsMin = 1
const backoffSecondsMax = 30
/** Some proxies leave a connection open without answering. */
const handshakeSeconds = 8

/**
 * Subscribes to a socket of the server and reconnects with exponential backoff. `filter` is evaluated on each connect. Returns a function that
 * unsubscribes.
 */
export function openSubscription(path: '/events/out' | '/logs/out', filter: () => object, handlers: SocketHandlers): () => void {
  let waitSeconds = backoffSecondsMin
  let timer: number | undefined
  let handshakeTimer: number | undefined
  let socket: WebSocket | undefined
  let closed = false

  const open = () => {
    window.clearTimeout(timer)
    const current = new WebSocket(new URL(apiUrl(path), location.href).href.replace(/^http/, 'ws'), 'prefect')
    socket = current
    handshakeTimer = window.setTimeout(() => current.close(), handshakeSeconds * 1000)
    current.onopen = () => {
      if (closed) return current.close()
      current.send(JSON.stringify({ type: 'auth', token: readCredentials() }))
    }
    current.onmessage = ({ data }) => {
      if (closed) return
      const frame = JSON.parse(String(data)) as { type: string }
      if (frame.type !== 'auth_success') return handlers.onFrame(frame)
      window.clearTimeout(handshakeTimer)
      current.send(JSON.stringify({ type: 'filter', filter: filter() }))
      waitSeconds = backoffSecondsMin
      handlers.onOpen?.()
    }
    current.onclose = () => {
      window.clearTimeout(handshakeTimer)
      if (closed) return
      handlers.onDisconnect?.()
      timer = window.setTimeout(open, waitSeconds * 1000)
      waitSeconds = Math.min(waitSeconds * 2, backoffSecondsMax)
    }
  }
  /** Reconnects immediately when the network is back. */
  const reconnectNow = () => {
    if (socket?.readyState === WebSocket.CLOSED) open()
  }
  addEventListener('online', reconnectNow)
  open()
  return () => {
    closed = true
    removeEventListener('online', reconnectNow)
    window.clearTimeout(timer)
    // A connecting socket is closed in `onopen`: browsers log an error if it is closed earlier.
    if (socket?.readyState === WebSocket.OPEN) socket.close()
  }
}
