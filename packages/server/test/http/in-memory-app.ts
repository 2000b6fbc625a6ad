import { type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { startApp, type TestApp } from '../setup.ts'

/** Starts a server on an empty in-memory database and closes it after the test. */
export async function startInMemoryApp(env: Record<string, string> = {}): Promise<TestApp> {
  const app = await startApp('sqlite::memory:', { env: { MILLRACE_DATABASE_MIGRATE_ON_START: 'true', ...env } })
  onTestFinished(() => app.close())
  return app
}

/** A path that matches the route. */
export const examplePath = ({ path }: { path: string }): string => path.replaceAll(/:\w+/g, '00000000-0000-4000-8000-000000000000')

interface RawResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type SendRequest = (method: string, path: string, headers?: Record<string, string>, body?: string | Buffer) => Promise<RawResponse>

/** Sends requests over a real connection with the path as it is: `fetch` and Fastify's `inject` normalise `/a/../b`. */
export async function startRawClient(app: TestApp): Promise<SendRequest> {
  const { port } = new URL(await app.server.listen({ port: 0, host: '127.0.0.1' }))
  return (method, path, headers = {}, body = '') =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
        text(answer).then((heard) => resolve({ status: answer.statusCode!, headers: answer.headers, body: heard }), reject)
      })
      sent.on('error', reject)
      sent.end(body)
    })
}
