import { parameters } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'
import { expect, test } from 'vitest'
import { route } from '../../src/lib/route.ts'
import { createTestServer } from './test-server.ts'

const shape = {
  method: 'POST',
  path: '/echo',
  tag: 'Test',
  summary: 'Echo',
  scope: 'public',
  kind: 'change',
  body: parameters({}),
  responses: { 200: Type.Boolean() },
} as const

test('a handler receives an object without accessors of its own, which would keep it in memory until the next full garbage collection', async () => {
  const received: object[] = []
  const echo = route(shape, async (request) => {
    received.push(request)
    return request.url.length > 0 && !request.signal.aborted
  })
  const server = createTestServer([echo])
  expect((await server.inject({ method: 'POST', url: '/api/echo', payload: {} })).json()).toBe(true)
  const [request = {}] = received
  expect(Object.keys(request)).toEqual(['params', 'query', 'headers', 'body', 'actor'])
  for (const property of Object.values(Object.getOwnPropertyDescriptors(request))) expect(property).toHaveProperty('value')
})
