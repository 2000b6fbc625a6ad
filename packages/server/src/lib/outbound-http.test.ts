import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OutboundRejected, sendOutbound } from './outbound-http.ts'

/** Requests that reached the canary, a server in the private network. */
const seen: { method: string | undefined; url: string | undefined; headers: IncomingMessage['headers']; body: string }[] = []
let canary: Server
let port = 0

beforeAll(async () => {
  canary = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => {
      body += piece
    })
    request.on('end', () => {
      seen.push({ method: request.method, url: request.url, headers: request.headers, body })
      if (request.url === '/redirect') response.writeHead(302, { location: `http://127.0.0.1:${port}/secret` }).end()
      else if (request.url === '/large') response.end('x'.repeat(500_000))
      else if (request.url === '/never') request.socket.setTimeout(0)
      else response.writeHead(201, { 'x-answer': 'yes' }).end('done')
    })
  })
  await new Promise<void>((resolve) => canary.listen(0, '0.0.0.0', resolve))
  port = (canary.address() as AddressInfo).port
})
afterAll(() => {
  canary.closeAllConnections()
  canary.close()
})

const post = (url: string) => ({ method: 'POST', url, body: 'hello' })
const at = (address: string, family = 4) => ({ address, family })

/** Ways to spell, or to hide, an address of the server's own network. The port of the canary takes the place of PORT. */
const hostile: readonly string[] = [
  'http://127.0.0.1:PORT/',
  'http://127.1:PORT/',
  'http://127.0.1:PORT/',
  'http://127.127.127.127:PORT/',
  'http://2130706433:PORT/',
  'http://0x7f000001:PORT/',
  'http://0x7f.0.0.1:PORT/',
  'http://0x7F.1:PORT/',
  'http://0177.0.0.1:PORT/',
  'http://017700000001:PORT/',
  'http://0177.0x0.0.1:PORT/',
  'http://00000177.0.0.1:PORT/',
  'http://127.0.0.1.:PORT/',
  'http://0:PORT/',
  'http://0.0.0.0:PORT/',
  'http://0000.0000.0000.0000:PORT/',
  'http://localhost:PORT/',
  'http://LOCALHOST:PORT/',
  'http://localhost.:PORT/',
  'http://user:password@127.0.0.1:PORT/',
  'http://example.com@127.0.0.1:PORT/',
  'http://127.0.0.1:PORT@127.0.0.1:PORT/',
  'http://127.0.0.1:PORT/?http://example.com',
  'http://127.0.0.1:PORT#@example.com/',
  'http:\\\\127.0.0.1:PORT\\',
  'http:///127.0.0.1:PORT/',
  'http:127.0.0.1:PORT',
  'http://①②⑦.⓪.⓪.①:PORT/',
  'http://１２７.０.０.１:PORT/',
  'http://127。0。0。1:PORT/',
  'http://127%2e0%2e0%2e1:PORT/',
  'http://%31%32%37.0.0.1:PORT/',
  ' http://127.0.0.1:PORT/ ',
  'http://127.0.0\t.1:PORT/',
  'ht\ntp://127.0.0.1:PORT/',
  'http://[::1]:PORT/',
  'http://[0:0:0:0:0:0:0:1]:PORT/',
  'http://[::]:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://[::ffff:7f00:1]:PORT/',
  'http://[0:0:0:0:0:ffff:127.0.0.1]:PORT/',
  'http://[::127.0.0.1]:PORT/',
  'http://[64:ff9b::127.0.0.1]:PORT/',
  'http://[2002:7f00:1::]:PORT/',
  'http://[fe80::1]:PORT/',
  'http://[fe80::1%25lo]:PORT/',
  'http://[fc00::1]:PORT/',
  'http://[fd00:ec2::254]/latest/meta-data/',
  'http://[ff02::1]:PORT/',
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/latest/meta-data/',
  'http://0xa9fea9fe/',
  'http://0251.0376.0251.0376/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://169.254.170.2/v2/credentials',
  'http://100.100.100.200/latest/meta-data/',
  'http://192.0.0.192/',
  'http://10.0.0.1:PORT/',
  'http://172.16.0.1:PORT/',
  'http://192.168.0.1:PORT/',
  'http://100.64.0.1:PORT/',
  'http://198.18.0.1:PORT/',
  'http://224.0.0.1:PORT/',
  'http://255.255.255.255:PORT/',
  'https://127.0.0.1:PORT/',
  'https://[::1]:PORT/',
  'https://localhost:PORT/',
  'file:///etc/passwd',
  'ftp://127.0.0.1:PORT/',
  'gopher://127.0.0.1:PORT/_x',
  'unix:/var/run/docker.sock',
  'http://unix:/var/run/docker.sock:/x',
  'data:text/plain,hello',
  'javascript:alert(1)',
  'ws://127.0.0.1:PORT/',
  '//127.0.0.1:PORT/',
  '127.0.0.1:PORT',
  'http://',
  '',
]

describe('a call to a private address', () => {
  test.each(hostile)('is rejected: %s', async (url) => {
    const before = seen.length
    await expect(sendOutbound(post(url.replaceAll('PORT', String(port))), { allowPrivate: false })).rejects.toThrow()
    expect(seen.length).toBe(before)
  })

  test.each([
    ['a private address', [at('127.0.0.1')]],
    ['a private address among public ones', [at('93.184.215.14'), at('127.0.0.1')]],
    ['a private address of the other family', [at('93.184.215.14'), at('::1', 6)]],
    ['IPv4 in IPv6', [at('::ffff:127.0.0.1', 6)]],
    ['a text that is not an address', [at('localhost')]],
    ['nothing', []],
  ])('is rejected for a name that resolves to %s', async (_what, found) => {
    const before = seen.length
    const resolve = async () => found
    await expect(sendOutbound(post(`http://innocent.example:${port}/`), { allowPrivate: false, resolve })).rejects.toThrow(OutboundRejected)
    expect(seen.length).toBe(before)
  })

  test('is rejected for a name that changes its address after the check', async () => {
    let lookups = 0
    // 127.0.0.2 represents the public internet here.
    const isAllowed = (address: string) => address === '127.0.0.2'
    const resolve = async () => [at(lookups++ === 0 ? '127.0.0.2' : '127.0.0.1')]
    const answer = await sendOutbound(post(`http://rebinding.example:${port}/first`), { allowPrivate: false, isAllowed, resolve })
    expect(answer.status).toBe(201)
    expect(lookups).toBe(1)
    expect(seen.at(-1)?.headers.host).toBe(`rebinding.example:${port}`)
    await expect(sendOutbound(post(`http://rebinding.example:${port}/second`), { allowPrivate: false, isAllowed, resolve })).rejects.toThrow(
      OutboundRejected,
    )
    expect(seen.at(-1)?.url).toBe('/first')
  })

  test('is not made by following a redirect', async () => {
    const isAllowed = (address: string) => address === '127.0.0.2'
    const answer = await sendOutbound(post(`http://127.0.0.2:${port}/redirect`), { allowPrivate: false, isAllowed })
    expect(answer.status).toBe(302)
    expect(seen.at(-1)?.url).toBe('/redirect')
  })

  test('is rejected without the address in the message', async () => {
    const refusal = await sendOutbound(post('http://10.11.12.13/'), { allowPrivate: false }).catch((error: Error) => error)
    expect((refusal as Error).message).not.toContain('10.11')
  })
})

describe('a call', () => {
  test('sends method, headers and body, and returns the response', async () => {
    const headers = { 'Content-Type': 'application/json', 'X-Own': 'mine' }
    const answer = await sendOutbound({ method: 'PUT', url: `http://127.0.0.1:${port}/hook?a=1`, headers, body: '{"ü":1}' }, { allowPrivate: true })
    expect(answer).toMatchObject({ status: 201, body: 'done', headers: { 'x-answer': 'yes' } })
    expect(seen.at(-1)).toMatchObject({
      method: 'PUT',
      url: '/hook?a=1',
      body: '{"ü":1}',
      headers: { 'content-type': 'application/json', 'x-own': 'mine', 'content-length': '8' },
    })
  })

  test('truncates a long response', async () => {
    expect((await sendOutbound(post(`http://127.0.0.1:${port}/large`), { allowPrivate: true })).body.length).toBe(64 * 1024)
  })

  test('times out without a response', async () => {
    await expect(sendOutbound({ ...post(`http://127.0.0.1:${port}/never`), timeoutSeconds: 0.05 }, { allowPrivate: true })).rejects.toThrow(
      'No response within 0.05 seconds',
    )
  })

  test('fails when the connection is refused or a header is invalid', async () => {
    await expect(sendOutbound(post('http://127.0.0.1:1/'), { allowPrivate: true })).rejects.toThrow('ECONNREFUSED')
    await expect(sendOutbound({ ...post(`http://127.0.0.1:${port}/`), headers: { a: 'b\r\nc: d' } }, { allowPrivate: true })).rejects.toThrow(
      /invalid/i,
    )
  })
})
