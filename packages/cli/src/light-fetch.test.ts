import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MillraceClient } from '@millrace/client/client.ts'
import { ConnectionError, TimeoutError } from '@millrace/client/errors.ts'
import { afterEach, expect, test } from 'vitest'
import { lightFetch } from './light-fetch.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const signal = new AbortController().signal

test('sends method, headers and body, and reads status, headers and text', async () => {
  const url = await serve((request, response) => {
    let body = ''
    request.on('data', (piece) => (body += piece))
    request.on('end', () =>
      response.writeHead(422, { 'x-request-id': '7', 'set-cookie': ['a', 'b'] }).end(`${request.method} ${request.headers.accept} ${body} é`),
    )
  })
  const response = await lightFetch(url, { method: 'POST', headers: { accept: 'x/y' }, body: '{"ü":1}', signal })
  expect({ status: response.status, ok: response.ok }).toEqual({ status: 422, ok: false })
  expect(response.headers.get('X-Request-Id')).toBe('7')
  expect(response.headers.get('set-cookie')).toBe('a, b')
  expect(response.headers.get('none')).toBeNull()
  expect(await response.clone().text()).toBe('POST x/y {"ü":1} é')
  expect(await response.text()).toBe('POST x/y {"ü":1} é')
})

test('returns the body as a stream', async () => {
  const url = await serve((_request, response) => response.end('a,b\n'.repeat(100_000)))
  const stream = await new MillraceClient({ url, fetch: lightFetch }).flowRuns.downloadLogs('x')
  let bytes = 0
  for await (const piece of stream) bytes += piece.length
  expect(bytes).toBe(400_000)
})

test('fails with the code of the network, at a time limit, and when it is aborted', async () => {
  const closed = await serve(() => undefined)
  const waiting = await serve(() => undefined)
  servers[0]?.close()
  const client = (url: string) => new MillraceClient({ url, fetch: lightFetch, retry: { retries: 0 }, timeoutSeconds: 0.1 })
  await expect(client(closed).server.version()).rejects.toThrow(ConnectionError)
  await expect(client(closed).server.version()).rejects.toThrow('ECONNREFUSED')
  await expect(client(waiting).server.version()).rejects.toThrow(TimeoutError)
  await expect(client(waiting).server.version({ signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop')
})

test('names the target of a redirect', async () => {
  const url = await serve((_request, response) => response.writeHead(308, { location: 'https://other.example/api' }).end())
  const client = new MillraceClient({ url, fetch: lightFetch, retry: { retries: 0 } })
  await expect(client.server.version()).rejects.toThrow('it redirects to https://other.example/api, use that URL')
})
