import Type from 'typebox'
import { expect, test } from 'vitest'
import { createTestServer } from '../../test/http/test-server.ts'
import { type Route, route } from '../lib/route.ts'
import { ByteBudget } from './byte-budget.ts'

const echo = route(
  {
    method: 'POST',
    path: '/echo',
    tag: 'Root',
    summary: 'Echo',
    scope: 'flows:write',
    kind: 'change',
    body: Type.Object({}),
    responses: { 200: Type.Object({}) },
  },
  ({ body }) => body,
) as Route

test.each(['json', 'application/', '/json', 'application json', 'a/b c'])('rejects the content type %s', async (type) => {
  const server = createTestServer([echo])
  const headers = { 'content-type': type }
  expect((await server.inject({ method: 'POST', url: '/echo', headers, payload: '{}' })).statusCode).toBe(415)
  expect((await server.inject({ method: 'POST', url: '/nowhere', headers })).statusCode).toBe(415)
})

test.each(['application/json', 'Application/JSON; charset=utf-8', 'application/json ;x'])('accepts the content type %s', async (type) => {
  const server = createTestServer([echo])
  const response = await server.inject({ method: 'POST', url: '/echo', headers: { 'content-type': type }, payload: '{}' })
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
})

test.each([
  ['of JSON', Buffer.from(JSON.stringify({ text: 'x'.repeat(100_000) })), 200],
  ['that is not UTF-8', Buffer.alloc(100_000, 0xff), 422],
])('releases the memory of a large body %s after the response', async (_kind, payload, status) => {
  const bodyBudget = new ByteBudget(1_000_000)
  const server = createTestServer([echo], { bodyBudget, bodyBytesMax: 200_000 })
  const response = await server.inject({ method: 'POST', url: '/echo', headers: { 'content-type': 'application/json' }, payload })
  expect(response.statusCode).toBe(status)
  await expect.poll(() => bodyBudget.used).toBe(0)
})
