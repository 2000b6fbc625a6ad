import { once } from 'node:events'
import type { TestApp } from './setup.ts'

/** One end of a websocket to a server of the tests, without a network between. */
export interface SocketClient {
  send(message: unknown): void
  /** The next message, read as JSON; fails when the connection ends instead. */
  // biome-ignore lint/suspicious/noExplicitAny: a message's shape is what the test is about
  next(): Promise<any>
  /** How many messages came and were not asked for yet. */
  readonly unreadCount: number
  /** Sends a ping and resolves with the pong. */
  ping(): Promise<void>
  /** Stops reading, as a client does that hangs. */
  pauseReading(): void
  /** Reads on. */
  resumeReading(): void
  close(): void
  /** Ends the connection without a word, as a process does that is killed. */
  terminate(): void
  readonly closed: Promise<{ code: number; reason: string }>
}

export interface ConnectOptions {
  readonly headers?: Record<string, string>
  /** What the first message shows; nothing is sent for undefined. */
  readonly token?: string | null
}

/** Connects, and shows credentials unless told otherwise. */
export async function connect(app: TestApp, path: string, { headers = {}, token = null }: ConnectOptions = {}): Promise<SocketClient> {
  const client = await connectWithoutAuth(app, path, { 'sec-websocket-protocol': 'prefect', ...headers })
  client.send({ type: 'auth', token })
  const answer = await client.next()
  if (answer.type !== 'auth_success') throw new Error(`not let in: ${JSON.stringify(answer)}`)
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
  // One that is made without an address does not do that by itself.
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
