import { expect, test } from 'vitest'
import { eachDialect } from '../../test/setup.ts'
import { formatTime } from '../lib/time.ts'
import { advanceCursor, createCursor, readCursor, readEventsAfter, readHead } from './cursor.ts'

eachDialect('event cursors', (setup) => {
  test('misses no event after a position with concurrent writers', { timeout: 30_000 }, async () => {
    const app = await setup()
    const { reads } = app.context
    let seen = 0
    const found: string[] = []
    const catchUp = async () => {
      const rows = await readEventsAfter(reads, seen, 7)
      expect(rows.map(({ position }) => position)).toEqual(rows.map(({ position }) => position).sort((a, b) => a - b))
      found.push(...rows.map(({ event }) => event))
      seen = rows.at(-1)?.position ?? seen
      return rows.length
    }
    let writing = true
    const reader = (async () => {
      while (writing || (await catchUp()) > 0) {
        await catchUp()
        await new Promise((resolve) => setImmediate(resolve))
      }
    })()
    const wanted: string[] = []
    await Promise.all(
      Array.from({ length: 12 }, async (_, writer) => {
        for (let n = 0; n < 8; n += 1) {
          const events = Array.from({ length: 3 }, (_, i) => `${writer} ${n} ${i}`)
          wanted.push(...events)
          const occurred = formatTime(app.context.clock.now())
          await app.call(
            'POST',
            '/events',
            events.map((event) => ({ id: app.context.newId(), occurred, event, resource: { 'prefect.resource.id': 'x' } })),
          )
        }
      }),
    )
    writing = false
    await reader
    expect(found.sort()).toEqual(wanted.sort())
    expect(await readHead(reads)).toBe(seen)
  })

  test('creates a cursor once and advances it only from its position', async () => {
    const { context } = await setup()
    expect(await readCursor(context.reads, 'me')).toBeUndefined()
    await context.commands.submit((tx) => createCursor(tx, 'me', 5))
    await context.commands.submit((tx) => createCursor(tx, 'me', 9))
    expect(await readCursor(context.reads, 'me')).toBe(5)
    expect(await context.commands.submit((tx) => advanceCursor(tx, 'me', 5, 8))).toBe(true)
    expect(await context.commands.submit((tx) => advanceCursor(tx, 'me', 5, 7))).toBe(false)
    expect(await readCursor(context.reads, 'me')).toBe(8)
  })
})
