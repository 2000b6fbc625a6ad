import { expect, test } from 'vitest'
import type { WriteConnection } from './connection.ts'
import { statement } from './database.ts'
import { postgres } from './postgres/dialect.ts'
import { Transaction } from './transaction.ts'

/** A transaction on PostgreSQL whose statements have no effect. */
function openTransaction(): Transaction {
  const connection = { all: async () => [], run: async () => 0, runLater: async () => undefined }
  return new Transaction(connection as unknown as WriteConnection, postgres)
}

test.each([
  ['a write without waiting', (tx: Transaction) => tx.write([{ insert: 'flow', rows: [{ id: 'a' }] }])],
  ['a statement', (tx: Transaction) => tx.run(statement('delete from flow'))],
  ['a statement that returns rows', (tx: Transaction) => tx.runReturning(statement('delete from flow returning id'))],
  ['an insert', (tx: Transaction) => tx.insert('flow', [{ id: 'a' }])],
  ['a built query', (tx: Transaction) => tx.kysely.deleteFrom('flow').execute()],
])('knows that it has written after %s', async (_name, write) => {
  const tx = openTransaction()
  const mark = tx.mark()
  await tx.all(statement('select 1'))
  await tx.write([])
  expect(tx.hasWrittenSince(mark)).toBe(false)
  await write(tx)
  expect(tx.hasWrittenSince(mark)).toBe(true)
})

test('reports a row that cannot be sent', async () => {
  const tx = openTransaction()
  await expect(tx.write([{ insert: 'log', rows: [{ id: 'a', name: 5 }] }])).rejects.toThrow(RangeError)
})
