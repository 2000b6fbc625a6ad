import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'

export interface ConnectionOptions {
  /** Sent with every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  /** How often to repeat a request that the server answers with 429 or 503. Measured requests are not repeated: such an answer is an error. */
  readonly retries?: number
}

export interface Reply {
  readonly status: number
  readonly body: Buffer
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

const retryDelayMs = 150

/** One keep-alive connection to a server, with one request in flight. */
export class HttpConnection {
  readonly #target: URL
  readonly #prefix: string
  readonly #agent: Agent
  readonly #send: typeof httpRequest
  readonly #options: ConnectionOptions

  /** The URL is that of the API, such as http://127.0.0.1:4200/api. */
  constructor(url: string, options: ConnectionOptions = {}) {
    this.#target = new URL(url)
    this.#prefix = this.#target.pathname.replace(/\/+$/, '')
    const isSecure = this.#target.protocol === 'https:'
    this.#agent = new (isSecure ? SecureAgent : Agent)({ keepAlive: true, maxSockets: 1 })
    this.#send = isSecure ? secureRequest : httpRequest
    this.#options = options
  }

  /** Resolves to the body of the answer. Throws `StatusError` for a status outside of 2xx. */
  async raw(method: string, path: string, body?: unknown): Promise<Buffer> {
    const text = body === undefined ? undefined : JSON.stringify(body)
    for (let left = this.#options.retries ?? 0; ; left -= 1) {
      const reply = await this.#exchange(method, path, text)
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
    this.#agent.destroy()
  }

  async #exchange(method: string, path: string, text: string | undefined): Promise<Reply> {
    try {
      return await this.#attempt(method, path, text)
    } catch (error) {
      // A server may close an idle connection at the moment of its reuse. Nothing was answered, so a new connection is tried once.
      if (!(error instanceof Error && 'isStaleConnection' in error)) throw error
      return this.#attempt(method, path, text)
    }
  }

  #attempt(method: string, path: string, text: string | undefined): Promise<Reply> {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    const headers: Record<string, string | number> = { accept: 'application/json', ...this.#options.headers }
    if (text !== undefined) {
      headers['content-type'] = 'application/json'
      headers['content-length'] = Buffer.byteLength(text)
    }
    const { hostname, port } = this.#target
    // Without the brackets of an IPv6 address.
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    const sent = this.#send({ agent: this.#agent, host, port, method, path: this.#prefix + path, headers })
    const timeoutMs = this.#options.timeoutMs ?? 30_000
    sent.setTimeout(timeoutMs, () => sent.destroy(new Error(`${method} ${path}: no answer within ${timeoutMs} ms`)))
    sent.on('error', (error: NodeJS.ErrnoException) => {
      reject(sent.reusedSocket && error.code === 'ECONNRESET' ? Object.assign(error, { isStaleConnection: true }) : error)
    })
    sent.on('response', (response: IncomingMessage) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('error', reject)
      response.on('end', () => {
        const body = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)
        resolve({ status: response.statusCode ?? 0, body })
      })
    })
    sent.end(text)
    return promise
  }
}
