import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { serviceActor } from '../lib/actor.ts'
import type { WriteConnection } from './connection.ts'
import type { Pool } from './pool.ts'
import { postgres } from './postgres/dialect.ts'
import { createWriteQueue } from './write-queue.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** A queue over a database that only commits, each time when the test says so. */
function openQueue() {
  const commits: (() => void)[] = []
  const batches: number[] = []
  const connection = {
    lost: undefined,
    begin: async () => {},
    commit: () => new Promise<void>((resolve) => commits.push(resolve)),
    rollback: async () => {},
  } as unknown as WriteConnection
  const pool = { dialect: postgres, writersMax: 2, withWriter: (use: (connection: WriteConnection) => unknown) => use(connection) } as unknown as Pool
  const queue = createWriteQueue(pool, { writeEvents: async () => {}, onCommit: () => {} }).as(serviceActor('test'))
  const batch = async (_tx: unknown, inputs: readonly number[]) => {
    batches.push(inputs.length)
    return inputs
  }
  const submit = (count: number) =>
    queue.submitAll(
      batch,
      Array.from({ length: count }, (_, n) => n),
    )
  const commitNext = async () => {
    expect(commits).not.toEqual([])
    commits.shift()?.()
    await turns(2)
  }
  return { submit, commitNext, batches }
}

const turns = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n += 1) await new Promise(setImmediate)
}

test('commands that arrive during a commit share the next batch', async () => {
  const { submit, commitNext, batches } = openQueue()
  const first = submit(8)
  await turns(2)
  const others = [submit(3)]
  await turns(2)
  others.push(submit(4))
  await turns(2)
  expect(batches).toEqual([8])
  await commitNext()
  await first
  await commitNext()
  await Promise.all(others)
  expect(batches).toEqual([8, 7])
})

test('as many commands as the batch that commits do not wait for it', async () => {
  const { submit, commitNext, batches } = openQueue()
  const first = submit(4)
  await turns(2)
  const others = [submit(3)]
  await turns(2)
  others.push(submit(1))
  await turns(2)
  expect(batches).toEqual([4, 4])
  await commitNext()
  await commitNext()
  await Promise.all([first, ...others])
})

test('many commands do not wait for a commit', async () => {
  const { submit, commitNext, batches } = openQueue()
  const first = submit(40)
  await turns(2)
  const many = submit(32)
  await turns(2)
  expect(batches).toEqual([40, 32])
  await commitNext()
  await commitNext()
  await Promise.all([first, many])
})

test('few commands wait for a slow commit only for a moment', async () => {
  const { submit, commitNext, batches } = openQueue()
  const first = submit(2)
  await turns(2)
  const second = submit(1)
  await turns(2)
  expect(batches).toEqual([2])
  vi.advanceTimersByTime(6)
  await turns(2)
  expect(batches).toEqual([2, 1])
  // Both writers are taken.
  const third = submit(40)
  await turns(2)
  expect(batches).toEqual([2, 1])
  for (let n = 0; n < 3; n += 1) await commitNext()
  await Promise.all([first, second, third])
  expect(batches).toEqual([2, 1, 40])
})
