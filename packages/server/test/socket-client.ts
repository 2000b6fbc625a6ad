import { once } from 'node:events'
import type { TestApp } from './setup.ts'

/** A WebSocket client of a test server, without a network. */
export interface SocketClient {
  send(message: unknown): void
  /** The next message, parsed as JSON. Rejects when the connection closes first. */
  // biome-ignore lint/suspicious/noExplicitAny: the test checks the shape of the message
  next(): Promise<any>
  /** Number of received messages that `next` has not returned yet. */
  readonly unreadCount: number
  /** Sends a ping and resolves with the pong. */
  ping(): Promise<void>
  /** Stops reading, like a client that hangs. */
  pauseReading(): void
  /** Continues reading. */
  resumeReading(): void
  close(): void
  /** Drops the connection without a close frame, like a killed process. */
  terminate(): void
  readonly closed: Promise<{ code: number; reason: string }>
}

export interface ConnectOptions {
  readonly headers?: Record<string, string>
  /** Credentials of the first message; none is sent when undefined. */
  readonly token?: string | null
}

/** Connects and sends credentials unless disabled. */
export async function connect(app: TestApp, path: string, { headers = {}, token = null }: ConnectOptions = {}): Promise<SocketClient> {
  const client = await connectWithoutAuth(app, path, { 'sec-websocket-protocol': 'prefect', ...headers })
  client.send({ type: 'auth', token })
  const answer = await client.next()
  if (answer.type !== 'auth_success') throw new Error(`authentication failed: ${JSON.stringify(answer)}`)
  return client
}

export async function connectWithoutAuth(app: TestApp, path: string, headers: Record<string, string> = {}): Promise<SocketClient> {
  await app.server.ready()
  // biome-ignore lint/suspicious/noExplicitAny: the plugin's types and the library's do not agree
  const socket = (await app.server.injectWS(path, { headers: { host: 'localhost', ...headers }, rawHeaders: [] } as object)) as any
  const messages: unknown[] = []
  const waiting: { resolve: (message: unknown) => void; reject: (error: Error) => void }[] = []
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code: number, reason: Buffer) => {
      resolve({ code, reason: reason.toString() })
      for (const { reject } of waiting.splice(0)) reject(new Error(`closed with ${code} ${reason}`))
    })
  })
  socket.on('error', () => {})
  // A socket without an address does not do this by itself.
  socket.on('ping', (data: Buffer) => socket.pong(data))
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString())
    const first = waiting.shift()
    if (first) first.resolve(message)
    else messages.push(message)
  })
  return {
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    next: () =>
      messages.length > 0
        ? Promise.resolve(messages.shift())
        : new Promise((resolve, reject) => {
            if (socket.readyState > 1) reject(new Error('closed already'))
            else waiting.push({ resolve, reject })
          }),
    get unreadCount() {
      return messages.length
    },
    async ping() {
      const pong = once(socket, 'pong')
      socket.ping()
      await pong
    },
    pauseReading: () => socket.pause(),
    resumeReading: () => socket.resume(),
    close: () => socket.close(),
    terminate: () => socket.terminate(),
    closed,
  }
}
