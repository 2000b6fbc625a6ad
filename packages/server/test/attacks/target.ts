import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

export interface Answer {
  readonly status: number
  readonly bytes: number
  /** The first id in the answer. */
  readonly id: string | undefined
}

/** The rest of an answer is read, and not kept. */
const keptBytesMax = 4096

/** The server under attack. The attackers know its password, except the one that guesses it. */
export class Target {
  readonly host = '127.0.0.1'
  readonly port: number
  readonly authorization: string
  readonly token: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 100 })

  constructor(url: string, password: string) {
    this.port = Number(new URL(url).port)
    this.token = password
    this.authorization = basic(password)
  }

  call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const sent = body === undefined ? undefined : JSON.stringify(body)
    const bodyHeaders = sent === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }
    const { host, port } = this
    return new Promise((resolve, reject) => {
      const options = {
        host,
        port,
        agent: this.#agent,
        method,
        path: `/api${path}`,
        headers: { authorization: this.authorization, ...bodyHeaders, ...headers },
      }
      const call = request(options, (response) => {
        let kept = ''
        let bytes = 0
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (kept.length < keptBytesMax) kept += chunk.subarray(0, keptBytesMax).toString('latin1')
        })
        response.on('error', reject)
        response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes, id: /"id":"([\da-f-]{36})"/.exec(kept)?.[1] }))
      })
      call.on('error', reject)
      call.end(sent)
    })
  }

  /** A connection of its own, of which nothing is read. */
  openUnread(): Socket {
    return connect(this.port, this.host)
      .pause()
      .on('error', () => {})
  }

  /** Opens a WebSocket, sends the messages after the credentials, and reads what comes. */
  subscribe(path: string, ...messages: object[]): WebSocket {
    const socket = new WebSocket(`ws://${this.host}:${this.port}/api${path}`, 'prefect')
    socket.onerror = () => {}
    socket.onopen = () => {
      for (const message of [{ type: 'auth', token: this.token }, ...messages]) socket.send(JSON.stringify(message))
    }
    return socket
  }
}

export const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`

/** Prepares an attack, and returns what is repeated. What the server refuses counts as a round too. */
export type Attack = (target: Target) => Promise<() => Promise<unknown>>

/** Passes on each line of JSON that a program prints. */
export function onJsonLine<Line>(output: NodeJS.ReadableStream, use: (line: Line) => void): void {
  createInterface(output).on('line', (line) => use(JSON.parse(line)))
}
