import { expect, test } from 'vitest'
import type { WriteConnection } from './connection.ts'
import { statement } from './database.ts'
import { postgres } from './postgres/dialect.ts'
import { Transaction } from './transaction.ts'

/** A transaction on PostgreSQL that records its statements up to the table, and the ids of their rows. */
function openTransaction() {
  const statements: string[] = []
  const record = (text: string, values: readonly unknown[]) => statements.push(`${text.split(' ').slice(0, 3).join(' ')} ${String(values[0])}`)
  const connection = {
    all: async (text: string, values: readonly unknown[]) => {
      record(text, values)
      return []
    },
    runLater: async (text: string, values: readonly unknown[]) => void record(text, values),
  } as unknown as WriteConnection
  return { tx: new Transaction(connection, postgres), statements }
}

const state = (id: string) => ({
  id,
  type: 'RUNNING',
  name: 'Running',
  timestamp: 1,
  message: null,
  data: null,
  state_details: '{}',
  flow_run_id: 'run',
})

test('inserts the states of several batches with one statement', async () => {
  const { tx, statements } = openTransaction()
  const mark = tx.mark()
  tx.insertLater('flow_run_state', [state('a')])
  tx.updateLater('flow_run', [{ id: 'run', updated: 1 }])
  tx.insertLater('flow_run_state', [state('b'), state('c')])
  expect(tx.hasWrittenSince(mark)).toBe(true)
  await tx.awaitDeferred()
  await tx.awaitDeferred()
  expect(statements).toEqual(['update flow_run set {run}', 'insert into flow_run_state {a,b,c}'])
})

test('inserts states before a statement that may read them', async () => {
  const { tx, statements } = openTransaction()
  tx.insertLater('flow_run_state', [state('a')])
  await tx.all(statement('select * from flow_run_state where id = $1'), ['a'])
  tx.insertLater('flow_run_state', [state('b')])
  await tx.awaitDeferred()
  expect(statements).toEqual(['insert into flow_run_state {a}', 'select * from a', 'insert into flow_run_state {b}'])
})

test.each(['flow_run_state', 'log'] as const)('reports a row of %s that cannot be sent', async (table) => {
  const { tx } = openTransaction()
  tx.insertLater(table, [{ id: 'a', name: 5 as unknown as string }])
  await expect(tx.awaitDeferred()).rejects.toThrow(RangeError)
})
