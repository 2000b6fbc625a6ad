import { expect, test } from 'vitest'
import { eachDialect } from '../../test/setup.ts'
import { CheckOutdated, checkThenWrite, prepareWrite } from './checked-write.ts'
import { statement } from './database.ts'

const value = statement(`select value from variable where name = 'schema'`)

eachDialect('a checked write', (setup) => {
  test('checks again and writes once when the facts change before the transaction', async () => {
    const { context, call } = await setup()
    await call('POST', '/variables/', { name: 'schema', value: 'old' })
    const checked: unknown[] = []
    const written: unknown[] = []
    await checkThenWrite(context, {
      read: async (db) => (await db.first<{ value: string }>(value))?.value,
      async check(facts) {
        checked.push(facts)
        if (checked.length === 1) await call('PATCH', '/variables/name/schema', { value: 'new' })
        return facts
      },
      write: async (_tx, facts) => written.push(facts),
    })
    expect([checked, written]).toEqual([['"old"', '"new"'], ['"new"']])
  })

  test('lets other writes commit while the check runs', async () => {
    const { context, call } = await setup()
    const steps = { read: async () => 1, check: async () => (await call('POST', '/variables/', { name: 'schema', value: 1 })).status }
    expect(await checkThenWrite(context, { ...steps, write: async (_tx, status) => status })).toBe(201)
  })

  test('gives up when the facts change every time', async () => {
    const { context } = await setup()
    let reads = 0
    const steps = { read: async () => (reads += 1), check: async () => {}, write: async () => expect.unreachable() }
    await expect(checkThenWrite(context, steps)).rejects.toMatchObject({ code: 'CONFLICT' })
    const write = await prepareWrite(context.reads, steps)
    await expect(context.commands.submit(write)).rejects.toBeInstanceOf(CheckOutdated)
  })
})
