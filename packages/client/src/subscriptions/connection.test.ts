import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { HttpClient } from '../http.ts'
import { Connection, type ConnectionOptions } from './connection.ts'

class FakeSocket {
  static last: FakeSocket
  readonly url: string
  readonly protocols: string | string[] | undefined
  readyState = 0
  readonly sent: unknown[] = []
  isClosed = false
  onopen: (() => void) | null = null
  onmessage: ((event: { data: string }) => void) | null = null
  onerror: (() => void) | null = null
  onclose: ((event: { code?: number }) => void) | null = null

  constructor(url: string, protocols?: string | string[]) {
    this.url = url
    this.protocols = protocols
    FakeSocket.last = this
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text))
  }

  close(): void {
    this.isClosed = true
  }

  open(): void {
    this.readyState = 1
    this.onopen?.()
  }

  receive(frame: object): void {
    this.onmessage?.({ data: JSON.stringify(frame) })
  }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function connect(options: Partial<ConnectionOptions<unknown>> = {}, credentials = {}) {
  const http = new HttpClient({ url: 'https://host/base/api', WebSocket: FakeSocket, ...credentials })
  const connection = new Connection<unknown>(http, {
    path: '/events/out',
    filterFrame: { type: 'filter' },
    itemOf: ({ type, event }) => (type === 'event' ? event : undefined),
    bufferMax: 3,
    idleSecondsMax: 300,
    ...options,
  })
  return { connection, socket: FakeSocket.last }
}

const lost = { code: 1006, isDeliberate: false }
const closed = { code: 1006, isDeliberate: true }

test.each([
  ['an auth string', { authString: 'me:secret', key: 'k' }, 'me:secret'],
  ['a key', { key: 'k' }, 'k'],
  ['no credentials', {}, null],
])('sends %s, then the filter', async (_name, credentials, token) => {
  const { connection, socket } = connect({}, credentials)
  expect([socket.url, socket.protocols]).toEqual(['wss://host/base/api/events/out', 'prefect'])
  socket.open()
  expect(socket.sent).toEqual([{ type: 'auth', token }])
  socket.receive({ type: 'auth_success' })
  expect(socket.sent).toEqual([{ type: 'auth', token }, { type: 'filter' }])
  expect(await connection.ready()).toBe(true)
})

test('returns the items that have arrived, then the close code', async () => {
  const { connection, socket } = connect()
  socket.open()
  socket.receive({ type: 'auth_success' })
  const first = connection.next()
  socket.receive({ type: 'event', event: 1 })
  socket.receive({ type: 'other', event: 2 })
  socket.receive({ type: 'event', event: 3 })
  socket.onclose?.({ code: 1012 })
  expect(await first).toMatchObject({ item: 1 })
  expect(await connection.next()).toMatchObject({ item: 3 })
  expect(await connection.next()).toEqual({ code: 1012, isDeliberate: false })
})

test('gives up if the server does not answer the handshake', async () => {
  const { connection, socket } = connect()
  socket.open()
  const ready = connection.ready()
  await vi.advanceTimersByTimeAsync(8000)
  expect(await ready).toBe(false)
  expect(socket.isClosed).toBe(true)
  expect(await connection.next()).toEqual(lost)
})

test('ends if no frame arrives for the maximum time', async () => {
  const { connection, socket } = connect({ idleSecondsMax: 60 })
  socket.open()
  socket.receive({ type: 'auth_success' })
  await vi.advanceTimersByTimeAsync(59_000)
  socket.receive({ type: 'event', event: 1 })
  await vi.advanceTimersByTimeAsync(59_000)
  expect(socket.isClosed).toBe(false)
  await vi.advanceTimersByTimeAsync(1000)
  expect(socket.isClosed).toBe(true)
  expect(await connection.next()).toMatchObject({ item: 1 })
  expect(await connection.next()).toEqual(closed)
})

test('ends when too many items wait, and ignores later ones', async () => {
  const { connection, socket } = connect()
  socket.open()
  socket.receive({ type: 'auth_success' })
  for (const event of [1, 2, 3, 4]) socket.receive({ type: 'event', event })
  expect(socket.isClosed).toBe(true)
  const found = [await connection.next(), await connection.next(), await connection.next(), await connection.next()]
  expect(found).toMatchObject([{ item: 1 }, { item: 2 }, { item: 3 }, closed])
})

test('ends when large items wait', async () => {
  const { socket } = connect({ bufferMax: 1000 })
  socket.open()
  socket.receive({ type: 'auth_success' })
  for (let count = 0; count < 17; count += 1) socket.receive({ type: 'event', event: 'x'.repeat(1024 * 1024) })
  expect(socket.isClosed).toBe(true)
})

test('ends after a frame that is not JSON', async () => {
  const { connection, socket } = connect()
  socket.open()
  socket.onmessage?.({ data: '{' })
  expect(socket.isClosed).toBe(true)
  expect(await connection.next()).toEqual(lost)
})

test('closes a socket that is connecting when it opens', async () => {
  const { connection, socket } = connect()
  connection.close()
  expect(socket.isClosed).toBe(false)
  expect(await connection.ready()).toBe(false)
  socket.open()
  expect(socket.isClosed).toBe(true)
  expect(socket.sent).toEqual([])
})
