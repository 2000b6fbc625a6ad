import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { startInMemoryApp } from './in-memory-app.ts'

/** Logs whose page is above the compression threshold. */
async function startWithManyLogs() {
  const app = await startInMemoryApp()
  const log = { name: 'mill', level: 20, timestamp: '2030-01-01T00:00:00Z', message: 'the race runs full\n'.repeat(300) }
  expect((await app.call('POST', '/logs/', Array(150).fill(log))).status).toBe(201)
  const get = (encodings?: string) =>
    app.server.inject({
      method: 'POST',
      url: '/api/logs/filter',
      payload: {},
      headers: encodings === undefined ? {} : { 'accept-encoding': encodings },
    })
  return { app, get }
}

describe('a large response', () => {
  test('is compressed for clients that accept gzip, with the same content', async () => {
    const { get } = await startWithManyLogs()
    const plain = await get()
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.json()).toHaveLength(150)
    expect(plain.headers['content-type']).toBe('application/json; charset=utf-8')
    for (const encodings of ['gzip', 'gzip, deflate, br', 'br, GZIP;q=0.5', '*']) {
      const packed = await get(encodings)
      expect([packed.statusCode, packed.headers['content-encoding'], packed.headers['content-type']], encodings).toEqual([
        200,
        'gzip',
        plain.headers['content-type'],
      ])
      expect(packed.headers.vary).toMatch(/\baccept-encoding$/)
      expect(Number(packed.headers['content-length'])).toBe(packed.rawPayload.length)
      expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 5)
      expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body)
    }
  })

  test('is not compressed for other clients', async () => {
    const { get } = await startWithManyLogs()
    for (const encodings of ['', 'identity', 'br', 'gzip;q=0', 'gzip; q=0.0, br', 'x-gzipped']) {
      const answer = await get(encodings)
      expect([answer.headers['content-encoding'], answer.headers.vary], encodings).toEqual([undefined, 'accept-encoding'])
    }
  })
})

test('does not compress a small response', async () => {
  const app = await startInMemoryApp()
  const { headers } = await app.server.inject({ method: 'GET', url: '/api/version', headers: { 'accept-encoding': 'gzip' } })
  expect(headers['content-encoding']).toBeUndefined()
})
