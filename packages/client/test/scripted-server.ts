import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { MillraceClient } from '../src/client.ts'
import type { ClientOptions } from '../src/http.ts'

interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Answers one request. The last step of a script answers all others. */
type Step = (response: ServerResponse, request: ReceivedRequest) => void

export interface ScriptedServer {
  readonly url: string
  readonly requests: ReceivedRequest[]
  /** Resolves when this many requests have arrived. */
  received(count: number): Promise<void>
  client(options?: Partial<ClientOptions>): MillraceClient
}

/** Answers with a status, a JSON body and headers. */
export const answer =
  (status: number, body?: unknown, headers: Record<string, string> = {}): Step =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body === undefined ? '' : JSON.stringify(body))

/** Closes the connection after the request was read, so that its outcome is unknown. */
export const drop: Step = (response) => void response.destroy()

/** Never answers. */
export const hang: Step = () => {}

/** A server that answers one request after the other by a script, for one test. */
export async function startScript(...steps: Step[]): Promise<ScriptedServer> {
  const requests: ReceivedRequest[] = []
  const waiting: { count: number; resolve: () => void }[] = []
  const server = createServer(async (message, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of message) chunks.push(chunk as Buffer)
    const request = { method: message.method ?? '', path: message.url ?? '', headers: message.headers, body: Buffer.concat(chunks).toString() }
    const step = steps[Math.min(requests.length, steps.length - 1)]
    requests.push(request)
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve()
    step?.(response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`
  return {
    url,
    requests,
    received: (count) => (requests.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve }))),
    client: (options) => new MillraceClient({ url, retry: { delaySeconds: 0.01, delaySecondsMax: 0.02 }, ...options }),
  }
}
