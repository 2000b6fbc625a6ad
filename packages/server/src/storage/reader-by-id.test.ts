import { expect, test } from 'vitest'
import type { Db } from './database.ts'
import { readerById } from './reader-by-id.ts'

const rows = new Map(Array.from({ length: 500 }, (_, n) => [`id-${n}`, { id: `id-${n}`, value: n }]))
const reads = {} as Db
const keyReads = {} as Db

function openReader(options: { keyReads?: Db; error?: Error } = { keyReads }) {
  const statements: (readonly string[])[] = []
  const read = readerById(
    { reads, keyReads: options.keyReads },
    async (db, id) => {
      expect(db).toBe(reads)
      statements.push([id])
      return rows.get(id)
    },
    async (db, ids) => {
      expect(db).toBe(keyReads)
      statements.push(ids)
      if (options.error) throw options.error
      return [...ids].reverse().flatMap((id) => rows.get(id) ?? [])
    },
  )
  return { read, statements }
}

test('reads of one turn share a statement, and each gets its own row', async () => {
  const { read, statements } = openReader()
  expect(await Promise.all(['id-3', 'none', 'id-1', 'id-3'].map(read))).toEqual([rows.get('id-3'), undefined, rows.get('id-1'), rows.get('id-3')])
  expect(statements).toEqual([['id-3', 'none', 'id-1']])
})

test('a read never joins a statement that was sent before it', async () => {
  const { read, statements } = openReader()
  const first = read('id-1')
  await new Promise(setImmediate)
  expect(statements).toEqual([['id-1']])
  await Promise.all([first, read('id-1')])
  expect(statements).toEqual([['id-1'], ['id-1']])
})

test('many reads are several statements', async () => {
  const { read, statements } = openReader()
  const found = await Promise.all([...rows.keys()].map(read))
  expect(found).toEqual([...rows.values()])
  expect(statements.map((ids) => ids.length)).toEqual([200, 200, 100])
})

test('an error rejects the reads of its statement, and later ones try again', async () => {
  const error = new Error('no database')
  const { read, statements } = openReader({ keyReads, error })
  expect(await Promise.allSettled([read('id-1'), read('id-2')])).toEqual([
    { status: 'rejected', reason: error },
    { status: 'rejected', reason: error },
  ])
  await expect(read('id-1')).rejects.toBe(error)
  expect(statements).toHaveLength(2)
})

test('each read has its own statement where nothing is gained', async () => {
  const { read, statements } = openReader({})
  expect(await Promise.all([read('id-1'), read('id-2')])).toEqual([rows.get('id-1'), rows.get('id-2')])
  expect(statements).toEqual([['id-1'], ['id-2']])
})
