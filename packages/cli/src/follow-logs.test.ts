import type { MillraceClient } from '@millrace/client/client.ts'
import type { Log, LogsFilterBody } from '@millrace/contracts/log.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { followLogs } from './follow-logs.ts'

const now = Date.parse('2030-01-01T00:00:00Z')
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A log that is this many seconds after now. */
const aLog = (id: string, seconds: number): Log => {
  const timestamp = new Date(now + seconds * 1000).toISOString()
  return { id, timestamp, created: null, updated: null, name: 'n', level: 20, message: id, flow_run_id: null, task_run_id: null }
}

/** Stored logs, and a client that lists them as the server does. */
function fakeServer(...stored: Log[]) {
  const requests: LogsFilterBody[] = []
  const list = async (body: LogsFilterBody): Promise<Log[]> => {
    requests.push(body)
    const after = body.logs?.timestamp?.after_
    return stored
      .filter(({ timestamp }) => !after || Date.parse(timestamp) >= Date.parse(after))
      .sort((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp) || (a.id < b.id ? -1 : 1))
      .slice(body.offset ?? 0, (body.offset ?? 0) + (body.limit ?? 200))
  }
  return { stored, requests, client: { logs: { list } } as unknown as MillraceClient }
}

/** Follows logs through these steps, each of which stores logs, and returns the ids in the order of their arrival. */
async function idsAfter(server: ReturnType<typeof fakeServer>, steps: readonly (readonly Log[])[], options: { since?: string; shown?: Log[] } = {}) {
  const ids: string[] = []
  const left = [...steps]
  const isEnded = () => {
    const step = left.shift()
    if (step) server.stored.push(...step)
    return left.length === 0
  }
  for await (const logs of followLogs(server.client, {}, { ...options, isEnded, signal: new AbortController().signal }))
    ids.push(...logs.map(({ id }) => id))
  return ids
}

test('returns present and new logs, each once', async () => {
  const server = fakeServer(aLog('a', -10), aLog('b', -9))
  expect(await idsAfter(server, [[], [aLog('c', -8)], [], [aLog('d', -8)]])).toEqual(['a', 'b', 'c', 'd'])
})

test('returns a log that arrives after a later one', async () => {
  const server = fakeServer(aLog('a', -10))
  expect(await idsAfter(server, [[], [aLog('b', -5)], [aLog('c', -9)]])).toEqual(['a', 'b', 'c'])
})

test('returns the logs of others after a log of a clock that is ahead', async () => {
  const server = fakeServer(aLog('ahead', 3600))
  expect(await idsAfter(server, [[], [aLog('now', 0)]])).toEqual(['ahead', 'now'])
})

test('returns more logs of one time than a page has', async () => {
  const many = Array.from({ length: 450 }, (_, index) => aLog(`x${String(index).padStart(3, '0')}`, -10))
  const server = fakeServer(...many)
  expect(await idsAfter(server, [[], [aLog('z', -10)]])).toEqual([...many.map(({ id }) => id), 'z'])
})

test('returns nothing before the start, and nothing that is shown', async () => {
  const shown = aLog('shown', -9)
  const server = fakeServer(aLog('old', -10), shown)
  expect(await idsAfter(server, [[], [aLog('new', -8)], [aLog('late', -11)]], { since: shown.timestamp, shown: [shown] })).toEqual(['new'])
})

test('reads only the last seconds again', async () => {
  const server = fakeServer(aLog('a', -100), aLog('b', -50))
  await idsAfter(server, [[], [aLog('c', -49)], []])
  expect(server.requests.map(({ logs }) => logs?.timestamp?.after_)).toEqual([
    undefined,
    new Date(now - 55_000).toISOString(),
    new Date(now - 54_000).toISOString(),
  ])
})
