import { type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** The headers of a browser that opens a page. */
export const navigation = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

/** Sends the path as it is: `fetch` and `inject` would normalise it. */
export function sendRawPath(
  server: FastifyInstance,
  method: string,
  path: string,
): Promise<{ status: number; headers: IncomingHttpHeaders; body: string }> {
  const { port } = server.server.address() as AddressInfo
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers: navigation, agent: false }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (piece) => {
        body += piece
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    sent.on('error', reject)
    sent.end()
  })
}
