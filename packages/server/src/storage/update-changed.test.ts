import { expect, test } from 'vitest'
import { eachDialect } from '../../test/setup.ts'

eachDialect('an update with stored rows', (setup, dialect) => {
  test('writes what differs, whatever columns differ in each row', async () => {
    const { context, call } = await setup()
    const ids: string[] = []
    for (const name of ['a', 'b', 'c', 'd']) ids.push((await call('POST', '/flows/', { name, tags: ['old'] })).body.id)
    const [a, b, c, d] = ids as [string, string, string, string]
    const stored = (id: string) => [id, { id, tags: '["old"]', updated: 1 }] as const
    await context.commands.submit(async (tx) => {
      await tx.write([
        {
          update: 'flow',
          rows: [
            { id: a, tags: '["new"]', updated: 1 },
            { id: b, tags: '["new"]', updated: 2_000_000 },
            { id: c, tags: '["old"]', updated: 3_000_000 },
            { id: d, tags: '["unread"]', updated: 4_000_000 },
          ],
          stored: new Map([stored(a), stored(b), stored(c)]),
        },
      ])
    })
    const rows = await context.reads.kysely.selectFrom('flow').select(['name', 'tags', 'updated']).where('id', 'in', ids).orderBy('name').execute()
    expect(rows.map(({ name, tags, updated }) => [name, JSON.parse(tags), updated])).toEqual([
      ['a', ['new'], dialect === 'sqlite' ? expect.any(Number) : 1],
      ['b', ['new'], 2_000_000],
      ['c', ['old'], 3_000_000],
      ['d', ['unread'], 4_000_000],
    ])
    // SQLite does not assign what it is said to have.
    if (dialect === 'sqlite') expect(rows[0]?.updated).not.toBe(1)
  })

  test('does not assign what no row changes', async () => {
    const { context, call } = await setup()
    const { id } = (await call('POST', '/flows/', { name: 'a', tags: ['old'] })).body
    const stored = new Map([[id, { id, tags: '["old"]', updated: 1 }]])
    await context.commands.submit((tx) => tx.write([{ update: 'flow', rows: [{ id, tags: '["new"]', updated: 1 }], stored }]))
    const [row] = await context.reads.kysely.selectFrom('flow').select(['tags', 'updated']).where('id', '=', id).execute()
    expect([JSON.parse(row?.tags as string), row?.updated === 1]).toEqual([['new'], false])
  })

  test('counts a row without a difference as updated', async () => {
    const { context, call } = await setup()
    const { id } = (await call('POST', '/flows/', { name: 'a' })).body
    const same = { id, tags: '[]' }
    const updated = await context.commands.submit((tx) =>
      tx.dialect.updateRows({ run: count, runEach: countEach, all: none, script: none } as never, {
        update: 'flow',
        rows: [same],
        stored: new Map([[id, same]]),
      }),
    )
    expect(updated).toBe(1)
  })
})

const count = async () => 1
const countEach = async (_text: string, rows: readonly unknown[]) => rows.length
const none = async () => []
