import { expect, test } from 'vitest'
import { eachDialect } from '../../test/setup.ts'
import { batchOnRows } from './batch.ts'
import { statement, type Tx } from './database.ts'

interface Change {
  readonly id: string
  readonly add: string
}

const tagsOf = statement('select id, tags from flow where id = $1')
const rename = statement('update flow set name = $2 where id = $1')

/** Appends a tag to a flow. Two kinds of it are two batches. */
const appendTags = (reads: string[]) =>
  batchOnRows(
    'flow',
    (tx: Tx, inputs: readonly Change[]) => {
      reads.push(...inputs.map(({ add }) => add))
      return Promise.all(inputs.map(({ id }) => tx.first<{ id: string; tags: unknown }>(tagsOf, [id])))
    },
    async (tx, inputs, found) => {
      const tags = new Map(found.map((row) => [row?.id, typeof row?.tags === 'string' ? JSON.parse(row.tags) : row?.tags]))
      for (const { id, add } of inputs) tags.set(id, [...tags.get(id), add])
      const changed = inputs.map(({ id }) => ({ id, tags: JSON.stringify(tags.get(id)) }))
      tx.updateLater('flow', changed)
      return changed
    },
  )

eachDialect('a batch on rows', (setup) => {
  async function start() {
    const app = await setup()
    const create = async (name: string) => (await app.call('POST', '/flows/', { name })).body.id as string
    const read = async (id: string) => (await app.call('GET', `/flows/${id}`)).body as { name: string; tags: string[] }
    return { writeQueue: app.context.writeQueue, create, read }
  }

  test('reads again what another batch of its transaction changed', async () => {
    const { writeQueue, create, read } = await start()
    const id = await create('a')
    await Promise.all([writeQueue.submitTo(appendTags([]), { id, add: 'x' }), writeQueue.submitTo(appendTags([]), { id, add: 'y' })])
    expect((await read(id)).tags.sort()).toEqual(['x', 'y'])
  })

  test('reads again after a statement that may have changed any row', async () => {
    const { writeQueue, create, read } = await start()
    const id = await create('a')
    await Promise.all([
      writeQueue.submit(async (tx) => void (await tx.run(rename, [id, 'b']))),
      writeQueue.submit(async (tx) => void (await tx.update('flow', [{ id, tags: '["z"]' }]))),
      writeQueue.submitTo(appendTags([]), { id, add: 'x' }),
    ])
    const { name, tags } = await read(id)
    expect({ name, tags: tags.sort() }).toEqual({ name: 'b', tags: ['x', 'z'] })
  })

  test('reads once when others change other rows', async () => {
    const { writeQueue, create, read } = await start()
    const [a, b] = [await create('a'), await create('b')]
    const reads: string[] = []
    await Promise.all([
      writeQueue.submitTo(appendTags(reads), { id: a, add: 'x' }),
      writeQueue.submitTo(appendTags(reads), { id: b, add: 'y' }),
      writeQueue.submitTo(appendTags(reads), { id: a, add: 'z' }),
    ])
    expect([(await read(a)).tags.sort(), (await read(b)).tags]).toEqual([['x', 'z'], ['y']])
    expect(reads.filter((add) => add === 'y')).toEqual(['y'])
  })
})
