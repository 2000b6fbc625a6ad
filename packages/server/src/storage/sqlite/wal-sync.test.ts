import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { serviceActor } from '../../lib/actor.ts'
import { statement } from '../database.ts'
import type { Pool } from '../pool.ts'
import { createWriteQueue } from '../write-queue.ts'
import { createConnection, createWriteConnection } from './connection.ts'
import { sqlite } from './dialect.ts'
import { FlushError } from './wal-sync.ts'

test('answers 503 and does not repeat a commit that could not be flushed', async () => {
  const database = new DatabaseSync(':memory:')
  database.exec('create table added (n integer)')
  let failures = 1
  const writer = createWriteConnection(createConnection(database), async () => {
    failures -= 1
    if (failures >= 0) throw new FlushError(new Error('EIO'))
  })
  const pool = { dialect: sqlite, writersMax: 1, withWriter: (use) => use(writer) } as Pick<Pool, 'dialect' | 'writersMax' | 'withWriter'> as Pool
  const queue = createWriteQueue(pool, { writeEvents: async () => {}, onCommit: () => {} }).as(serviceActor('test'))
  const add = () => queue.submit((tx) => tx.run(statement('insert into added values (1)')))
  const results = await Promise.allSettled([add(), add()])
  expect(results).toMatchObject(Array(2).fill({ status: 'rejected', reason: { status: 503 } }))
  expect(database.prepare('select count(*) as count from added').get()).toEqual({ count: 2 })
  await expect(add()).resolves.toBe(1)
  database.close()
})
