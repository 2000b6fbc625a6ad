import { connect, isIP, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { connect as connectSecurely } from 'node:tls'
import { type Reply, ResponseReader } from './http-response.ts'

export interface ConnectionOptions {
  /** Sent with every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  /** How often to repeat a request that the server answers with 429 or 503. Measured requests are not repeated: such an answer is an error. */
  readonly retries?: number
}

/** An answer with a status outside of 2xx. */
export class StatusError extends Error {
  override name = 'StatusError'
  readonly status: number

  constructor(method: string, path: string, { status, body }: Reply) {
    super(`${method} ${path}: HTTP ${status} ${body.toString('utf8', 0, 200)}`)
    this.status = status
  }
}

/** A request without a complete answer. */
export class ConnectionError extends Error {
  override name = 'ConnectionError'

  constructor(method: string, path: string, cause: unknown) {
    super(`${method} ${path}: ${describeCause(cause)}`, { cause })
  }
}

/** The error of a host with several addresses has a code and no message. */
const describeCause = (cause: unknown): string =>
  cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : String(cause)

interface Exchange {
  readonly response: ResponseReader
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: unknown) => void
}

/** The server closed the connection before it answered anything. */
class ClosedUnanswered extends Error {}

const retryDelayMs = 150

/**
 * One keep-alive connection to a server, with one request in flight. `node:http` takes twice the CPU, on cores that the measured server needs too.
 */
export class HttpConnection {
  readonly #target: URL
  readonly #prefix: string
  readonly #fixedHeaders: string
  readonly #timeoutMs: number
  readonly #retries: number
  /** Requests that wait for the one before them. */
  readonly #waiting: (() => void)[] = []
  #isBusy = false
  #socket: Socket | undefined
  #exchange: Exchange | undefined

  /** The URL is that of the API, such as http://127.0.0.1:4200/api. */
  constructor(url: string, { headers = {}, timeoutMs = 30_000, retries = 0 }: ConnectionOptions = {}) {
    this.#target = new URL(url)
    this.#prefix = this.#target.pathname.replace(/\/+$/, '')
    this.#fixedHeaders = formatHeaders({ host: this.#target.host, accept: 'application/json', ...headers })
    this.#timeoutMs = timeoutMs
    this.#retries = retries
  }

  /** Resolves to the body of the answer. Throws `StatusError` for a status outside of 2xx, `ConnectionError` without an answer. */
  async raw(method: string, path: string, body?: unknown): Promise<Buffer> {
    const request = this.#format(method, path, body)
    for (let left = this.#retries; ; left -= 1) {
      const reply = await this.#sendInTurn(request).catch((error) => {
        throw new ConnectionError(method, path, error)
      })
      if (reply.status >= 200 && reply.status < 300) return reply.body
      if (left <= 0 || (reply.status !== 429 && reply.status !== 503)) throw new StatusError(method, path, reply)
      await pause(retryDelayMs)
    }
  }

  /** As `raw`, with the parsed JSON; null for an empty body. The caller checks what it reads. */
  // biome-ignore lint/suspicious/noExplicitAny: workloads check the answers that they read
  async call(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await this.raw(method, path, body)
    return answer.length === 0 ? null : JSON.parse(answer.toString())
  }

  // biome-ignore lint/suspicious/noExplicitAny: workloads check the answers that they read
  get(path: string): Promise<any> {
    return this.call('GET', path)
  }

  // biome-ignore lint/suspicious/noExplicitAny: workloads check the answers that they read
  post(path: string, body: unknown): Promise<any> {
    return this.call('POST', path, body)
  }

  close(): void {
    this.#fail(new Error('the connection was closed by this side'))
  }

  #format(method: string, path: string, body: unknown): string {
    const text = body === undefined ? '' : JSON.stringify(body)
    const content = body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`
    return `${method} ${this.#prefix}${path} HTTP/1.1\r\n${this.#fixedHeaders}${content}\r\n${text}`
  }

  async #sendInTurn(request: string): Promise<Reply> {
    if (this.#isBusy) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#isBusy = true
    try {
      return await this.#sendWithReconnect(request)
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#isBusy = false
    }
  }

  /** A server may close an idle connection at the moment of its reuse. Nothing was answered, so a new connection is tried once. */
  async #sendWithReconnect(request: string): Promise<Reply> {
    const isReused = this.#socket !== undefined
    try {
      return await this.#send(request)
    } catch (error) {
      if (!isReused || !(error instanceof ClosedUnanswered)) throw error
      return this.#send(request)
    }
  }

  async #send(request: string): Promise<Reply> {
    const socket = this.#socket ?? (await this.#connect())
    return new Promise((resolve, reject) => {
      this.#exchange = { response: new ResponseReader(), resolve, reject }
      socket.write(request)
    })
  }

  async #connect(): Promise<Socket> {
    const isSecure = this.#target.protocol === 'https:'
    const port = Number(this.#target.port) || (isSecure ? 443 : 80)
    // Without the brackets of an IPv6 address.
    const host = this.#target.hostname.replace(/^\[(.*)\]$/, '$1')
    const socket = isSecure ? connectSecurely({ host, port, ...(isIP(host) === 0 && { servername: host }) }) : connect({ host, port })
    socket.setNoDelay(true)
    socket.setTimeout(this.#timeoutMs, () => {
      const error = new Error(`no answer within ${this.#timeoutMs} ms`)
      // An idle connection stays open, and one that is being established is given up.
      if (this.#exchange) this.#fail(error)
      else if (socket.connecting) socket.destroy(error)
    })
    await new Promise<void>((resolve, reject) => {
      socket.once(isSecure ? 'secureConnect' : 'connect', resolve)
      socket.once('error', reject)
    })
    socket.removeAllListeners('error')
    // Every error is followed by `close`.
    let reason: Error | undefined
    socket.on('error', (error) => {
      reason = error
    })
    socket.on('data', (piece: Buffer) => this.#receive(piece))
    socket.on('close', () => this.#end(socket, reason))
    this.#socket = socket
    return socket
  }

  #receive(piece: Buffer): void {
    const exchange = this.#exchange
    if (!exchange) {
      // Nothing was asked.
      this.#disconnect()
      return
    }
    try {
      const reply = exchange.response.push(piece)
      if (!reply) return
      this.#exchange = undefined
      if (!exchange.response.keepsAlive) this.#disconnect()
      exchange.resolve(reply)
    } catch (error) {
      this.#fail(error)
    }
  }

  #end(socket: Socket, reason: Error | undefined): void {
    // Another connection may be in use since `close`.
    if (socket !== this.#socket) return
    this.#socket = undefined
    const exchange = this.#exchange
    if (!exchange) return
    const reply = reason ? undefined : exchange.response.end()
    this.#exchange = undefined
    if (reply) exchange.resolve(reply)
    else if (exchange.response.hasBegun) exchange.reject(reason ?? new Error('the connection ended within the answer'))
    else exchange.reject(new ClosedUnanswered(reason?.message ?? 'the connection ended before the answer'))
  }

  #fail(error: unknown): void {
    const exchange = this.#exchange
    this.#exchange = undefined
    this.#disconnect()
    exchange?.reject(error)
  }

  #disconnect(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }
}

function formatHeaders(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => {
      if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) throw new Error(`The value of the header ${name} has a character that HTTP does not allow`)
      return `${name}: ${value}\r\n`
    })
    .join('')
}
