import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

export interface Response {
  /** 0 when no response arrived. */
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: proofs check the answers that they read
  readonly body: any
  readonly headers: IncomingHttpHeaders
  /** The code of a broken connection, or the body of an error. */
  readonly problem: string
}

const timeoutMs = 10_000

/** Node's own client takes a third of the CPU time of fetch, which matters on a machine that also runs the servers. */
const agent = new Agent({ keepAlive: true, maxSockets: 2000 })

/** Sends one request. Never throws. */
export function send(url: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const sent = body === undefined ? undefined : JSON.stringify(body)
  const bodyHeaders = sent === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException) => resolve({ status: 0, body: null, headers: {}, problem: error.code ?? error.message })
    const call = request(`${url}/api${path}`, { agent, method, headers: { ...bodyHeaders, ...headers }, timeout: timeoutMs }, (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('error', fail)
      response.on('end', () => {
        const [status, text] = [response.statusCode ?? 0, Buffer.concat(pieces).toString()]
        const isJson = response.headers['content-type']?.includes('json') && text !== ''
        resolve({ status, body: isJson ? JSON.parse(text) : null, headers: response.headers, problem: isSuccess({ status }) ? '' : text })
      })
    })
    call.on('timeout', () => call.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })))
    call.on('error', fail)
    call.end(sent)
  })
}

export const isSuccess = ({ status }: { readonly status: number }): boolean => status >= 200 && status < 300

/** Counts of the attempts that failed, by status or by the code of a broken connection. */
export class FailureCounts {
  readonly #counts = new Map<string, number>()

  add({ status, problem }: Response): void {
    const key = status === 0 ? problem : String(status)
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  /** The number of failures that are not listed. */
  except(...expected: readonly string[]): number {
    return [...this.#counts].reduce((sum, [key, count]) => sum + (expected.includes(key) ? 0 : count), 0)
  }

  get text(): string {
    return this.#counts.size === 0 ? 'none' : [...this.#counts].map(([key, count]) => `${key}: ${count}`).join(', ')
  }
}

/** Repeats a POST until it succeeds, as clients of the API do. */
export async function postUntilAccepted(url: string, path: string, body: unknown, failures: FailureCounts, retryMs = 100): Promise<Response> {
  for (;;) {
    const response = await send(url, 'POST', path, body)
    if (isSuccess(response)) return response
    failures.add(response)
    await pause(retryMs)
  }
}
