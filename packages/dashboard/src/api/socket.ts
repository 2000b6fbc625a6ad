import { apiUrl } from './client.ts'
import { readCredentials } from './credentials.ts'

export interface SocketHandlers {
  /** A frame other than those of the greeting. */
  onFrame(frame: { readonly type: string } & Record<string, unknown>): void
  onOpen?(): void
  onDisconnect?(): void
}

const backoffSecondsMin = 1
const backoffSecondsMax = 30
/** Some proxies neither pass a connection on nor refuse it. */
const handshakeSeconds = 8

/**
 * Subscribes at one of the server's sockets and stays subscribed: a lost connection is made again, after a wait that doubles. The filter is asked
 * for each time. Ends when called.
 */
export function openSubscription(path: '/events/out' | '/logs/out', filter: () => object, handlers: SocketHandlers): () => void {
  let waitSeconds = backoffSecondsMin
  let timer: number | undefined
  let greeting: number | undefined
  let socket: WebSocket | undefined
  let over = false

  const open = () => {
    window.clearTimeout(timer)
    const made = new WebSocket(new URL(apiUrl(path), location.href).href.replace(/^http/, 'ws'), 'prefect')
    socket = made
    greeting = window.setTimeout(() => made.close(), handshakeSeconds * 1000)
    made.onopen = () => {
      if (over) return made.close()
      made.send(JSON.stringify({ type: 'auth', token: readCredentials() }))
    }
    made.onmessage = ({ data }) => {
      if (over) return
      const frame = JSON.parse(String(data)) as { type: string }
      if (frame.type !== 'auth_success') return handlers.onFrame(frame)
      window.clearTimeout(greeting)
      made.send(JSON.stringify({ type: 'filter', filter: filter() }))
      waitSeconds = backoffSecondsMin
      handlers.onOpen?.()
    }
    made.onclose = () => {
      window.clearTimeout(greeting)
      if (over) return
      handlers.onDisconnect?.()
      timer = window.setTimeout(open, waitSeconds * 1000)
      waitSeconds = Math.min(waitSeconds * 2, backoffSecondsMax)
    }
  }
  /** When the network is back there is nothing to wait for. */
  const hurry = () => {
    if (socket?.readyState === WebSocket.CLOSED) open()
  }
  addEventListener('online', hurry)
  open()
  return () => {
    over = true
    removeEventListener('online', hurry)
    window.clearTimeout(timer)
    // One that is still connecting closes as it opens: closed before, the browser would complain of it.
    if (socket?.readyState === WebSocket.OPEN) socket.close()
  }
}
