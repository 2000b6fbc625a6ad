import type { HttpClient } from '../http.ts'
import { parseJson } from '../json.ts'
import { timerMilliseconds } from '../retry.ts'
import { type WebSocketLike, webSocketClass } from '../web-socket.ts'

export type SocketPath = '/events/out' | '/logs/out' | '/runs/report'

export type Frame = { readonly type: string } & Readonly<Record<string, unknown>>

export interface ConnectionOptions<T> {
  readonly path: SocketPath
  /** The frame after the credentials, if the socket expects one. */
  readonly filterFrame?: object
  /** The item of a frame, or undefined for a frame of another type. */
  itemOf(frame: Frame): T | undefined
  /** Number of items that may wait for the consumer. */
  readonly bufferMax: number
  /** Closes the connection if no frame arrives for this long. A connection can be dead without a sign. */
  readonly idleSecondsMax: number
}

/** Why a connection ended. */
export interface Ending {
  /** Close code of the server; 1006 if there was none. */
  readonly code: number
  /** The connection was closed because items arrived faster than they were consumed, or none at all. */
  readonly isDeliberate: boolean
}

/** Subprotocol of clients that send credentials first. */
const subprotocol = 'prefect'

/** Some proxies leave a connection open without answering. */
const handshakeSecondsMax = 8

/** Maximum length of the texts of waiting items. An event can have a megabyte. */
const bufferedCharactersMax = 16 * 1024 * 1024

const abnormalClosure = 1006
const connecting = 0

/** One connection to a socket of the server, and the items that wait for the consumer. */
export class Connection<T> {
  readonly #options: ConnectionOptions<T>
  readonly #http: HttpClient
  readonly #socket: WebSocketLike
  readonly #items: { readonly item: T; readonly characters: number }[] = []
  #characters = 0
  #isReady = false
  #ending: Ending | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #wake: (() => void) | undefined

  constructor(http: HttpClient, options: ConnectionOptions<T>) {
    this.#http = http
    this.#options = options
    const Socket = webSocketClass(http.options.WebSocket)
    this.#socket = new Socket(`${http.url.replace(/^http/, 'ws')}${options.path}`, subprotocol)
    this.#closeAfter(handshakeSecondsMax, { code: abnormalClosure, isDeliberate: false })
    this.#socket.onopen = () => this.#authenticate()
    this.#socket.onmessage = ({ data }: { readonly data: unknown }) => this.#receive(String(data))
    // A close event follows. The package `ws` throws an error that nothing handles.
    this.#socket.onerror = () => {}
    this.#socket.onclose = ({ code }: { readonly code?: number }) => this.#end({ code: code ?? abnormalClosure, isDeliberate: false })
  }

  /** Resolves to true when the server has accepted the credentials, or to false if the connection ends first. */
  async ready(): Promise<boolean> {
    while (!this.#isReady && !this.#ending) await this.#change()
    return this.#isReady
  }

  /** The next item, or the reason for which there are no more. */
  async next(): Promise<{ readonly item: T } | Ending> {
    for (;;) {
      const first = this.#items.shift()
      if (first) {
        this.#characters -= first.characters
        return first
      }
      if (this.#ending) return this.#ending
      await this.#change()
    }
  }

  /** Does nothing once the connection has ended. */
  send(frame: object): void {
    if (!this.#ending) this.#socket.send(JSON.stringify(frame))
  }

  close(): void {
    this.#close({ code: abnormalClosure, isDeliberate: true })
  }

  #authenticate(): void {
    if (this.#ending) {
      this.#socket.close()
      return
    }
    const { authString, key } = this.#http.credentials()
    this.#socket.send(JSON.stringify({ type: 'auth', token: authString || key || null }))
  }

  #receive(text: string): void {
    if (this.#ending) return
    const frame = this.#parse(text)
    if (!frame) return
    this.#closeAfter(this.#options.idleSecondsMax, { code: abnormalClosure, isDeliberate: true })
    if (frame.type === 'auth_success') {
      this.#isReady = true
      if (this.#options.filterFrame) this.send(this.#options.filterFrame)
    } else {
      const item = this.#options.itemOf(frame)
      if (item === undefined) return
      this.#items.push({ item, characters: text.length })
      this.#characters += text.length
      const isFull = this.#items.length >= this.#options.bufferMax || this.#characters > bufferedCharactersMax
      if (isFull) this.close()
    }
    this.#notify()
  }

  #parse(text: string): Frame | undefined {
    try {
      return parseJson(text, this.#http.options.exactNumbers) as Frame
    } catch {
      this.#close({ code: abnormalClosure, isDeliberate: false })
      return undefined
    }
  }

  #closeAfter(seconds: number, ending: Ending): void {
    clearTimeout(this.#timer)
    this.#timer = Number.isFinite(seconds) ? setTimeout(() => this.#close(ending), timerMilliseconds(seconds)) : undefined
  }

  #close(ending: Ending): void {
    this.#end(ending)
    // A connecting socket is closed when it opens: browsers log an error if it is closed earlier.
    if (this.#socket.readyState !== connecting) this.#socket.close()
  }

  #end(ending: Ending): void {
    clearTimeout(this.#timer)
    this.#ending ??= ending
    this.#notify()
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #notify(): void {
    this.#wake?.()
    this.#wake = undefined
  }
}
