import { MillraceClient } from '@millrace/client/client.ts'
import { beforeAll, expect, test } from 'vitest'
import { followEvents } from '../src/commands/follow-events.ts'
import { cliServer } from './cli-test.ts'

const server = cliServer()

beforeAll(() => server.app.clock.set(Date.now() * 1000))

let count = 0
const newId = (): string => `0199f0a1-7c3e-7a52-b1a4-${String(++count).padStart(12, '0')}`

/** Sends an event that occurred some seconds before now. */
const emit = async (event: string, secondsAgo = 0, times = 1): Promise<void> => {
  const occurred = new Date(Date.now() - secondsAgo * 1000).toISOString()
  const events = Array.from({ length: times }, () => ({ id: newId(), occurred, event, resource: { 'prefect.resource.id': 'a' } }))
  await server.app.call('POST', '/events', events)
}

/** A client that calls `onRequest` before each request. */
const clientWith = (onRequest: (url: string, body: string) => void | Promise<void>): MillraceClient =>
  new MillraceClient({
    url: server.url,
    retry: { retries: 0 },
    fetch: async (input, init) => {
      await onRequest(String(input), String(init?.body))
      return fetch(input, init)
    },
  })

/** Collects events until `last` is among them. */
async function follow(client: MillraceClient, last: string): Promise<string[]> {
  const names: string[] = []
  for await (const { event } of followEvents(client, {}, { signal: new AbortController().signal, pollSeconds: 0.01 })) {
    names.push(event)
    if (event === last) break
  }
  return names
}

test('returns only events that arrive after the start, each once', async () => {
  await emit('old', 0, 60)
  let polls = 0
  const client = clientWith(async (_url, body) => {
    if (!body.includes('"ASC"')) return
    polls += 1
    // The first poll only finds the end of the log.
    if (polls === 2) await emit('new-1')
    if (polls === 4) await emit('new-2')
    if (polls === 6) await emit('last')
  })
  expect(await follow(client, 'last')).toEqual(['new-1', 'new-2', 'last'])
})

test('finds events that arrive late, and those of more than one page', async () => {
  let polls = 0
  const client = clientWith(async (_url, body) => {
    if (!body.includes('"ASC"')) return
    polls += 1
    if (polls === 2) await emit('many', 0, 130)
    if (polls === 3) await emit('late', 3)
    if (polls === 4) await emit('last')
  })
  const names = await follow(client, 'last')
  expect(names.filter((name) => name === 'many')).toHaveLength(130)
  expect(names.filter((name) => name === 'late')).toHaveLength(1)
})

test('does not skip events after one of a clock that is ahead', async () => {
  let polls = 0
  const client = clientWith(async (_url, body) => {
    if (!body.includes('"ASC"')) return
    polls += 1
    if (polls === 2) await emit('ahead', -3600)
    if (polls === 3) await emit('last')
  })
  expect(await follow(client, 'last')).toEqual(['ahead', 'last'])
})

test('goes on after a broken connection, but not if the first request fails', async () => {
  let polls = 0
  const client = clientWith(async (_url, body) => {
    if (!body.includes('"ASC"')) return
    polls += 1
    if (polls === 3 || polls === 4) throw new TypeError('fetch failed')
    if (polls === 5) await emit('last')
  })
  expect(await follow(client, 'last')).toEqual(['last'])
  const unreachable = clientWith(() => {
    throw new TypeError('fetch failed')
  })
  await expect(follow(unreachable, 'last')).rejects.toThrow('Cannot reach')
})
