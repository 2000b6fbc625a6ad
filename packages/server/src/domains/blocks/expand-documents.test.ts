import { expect, test } from 'vitest'
import { seedBlockType } from '../../../test/blocks.ts'
import { startEventLoopProbe } from '../../../test/event-loop-probe.ts'
import { eachDialect, type TestApp } from '../../../test/setup.ts'
import { loadBlockDocument } from './load-block.ts'

const fields = { title: 'Part', properties: {} }
const referenceTo = (id: string) => ({ $ref: { block_document_id: id } })
const names = ['a', 'b', 'c', 'd']
const fourTo = (id: string) => Object.fromEntries(names.map((name) => [name, referenceTo(id)]))

type Create = Awaited<ReturnType<typeof seedBlockType>>['create']

/** Documents that refer four times to the one before, as an older server may have stored them. Returns their ids, the lowest first. */
async function storeLevels(app: TestApp, create: Create, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let level = 0; level < count; level += 1) {
    const id = (await create(`level-${level}`, { level })).body.id
    const below = ids.at(-1)
    if (below) {
      const rows = names.map((name) => ({ id: app.context.newId(), parent_block_document_id: id, reference_block_document_id: below, name }))
      await app.context.commands.submit((tx) => tx.insert('block_document_reference', rows))
    }
    ids.push(id)
  }
  return ids
}

eachDialect('documents that refer to others', (setup) => {
  test('are refused when their references insert more than 1,000 documents', async () => {
    const app = await setup()
    const { create } = await seedBlockType(app, 'part', fields)
    const ids = [(await create('0', { level: 0 })).body.id]
    for (let level = 1; level <= 4; level += 1) ids.push((await create(String(level), fourTo(ids.at(-1)))).body.id)
    const { body } = await app.call('GET', `/block_documents/${ids[4]}`)
    expect(body.data.d.c.b.a).toEqual({ level: 0 })
    const references = body.block_document_references.a.block_document.block_document_references
    expect(references.b.block_document).toMatchObject({ id: ids[2], name: '2', block_type: { slug: 'part' } })
    const refused = await create('5', fourTo(ids[4]))
    expect(refused).toMatchObject({ status: 400, body: { detail: expect.stringContaining('"5" is too large with the documents') } })
    expect((await app.call('POST', '/block_documents/count', {})).body).toBe(5)
    // Three times 341 documents are too many, two times are not.
    const more = (await create('5', { a: referenceTo(ids[4]) })).body.id
    const update = (data: object) => app.call('PATCH', `/block_documents/${more}`, { data })
    expect((await update({ b: referenceTo(ids[4]) })).status).toBe(204)
    expect((await update({ c: referenceTo(ids[4]) })).status).toBe(400)
    expect(Object.keys((await app.call('GET', `/block_documents/${more}`)).body.data)).toEqual(['a', 'b'])
  })

  test('are refused when they insert more than 4 MB or go deeper than 50 levels', async () => {
    const app = await setup()
    const { create } = await seedBlockType(app, 'part', fields)
    const large = (await create('large', { text: 'x'.repeat(1_500_000) })).body.id
    expect((await create('two', { a: referenceTo(large), b: referenceTo(large) })).status).toBe(201)
    expect((await create('three', { a: referenceTo(large), b: referenceTo(large), c: referenceTo(large) })).status).toBe(400)
    const others = await Promise.all([0, 1, 2, 3, 4, 5].map(async (n) => (await create(`l${n}`, { text: 'x'.repeat(1_500_000) })).body.id))
    expect((await create('six', Object.fromEntries(others.map((id, n) => [`f${n}`, referenceTo(id)])))).status).toBe(400)
    let id = (await create('bottom', {})).body.id
    for (let level = 1; level <= 50; level += 1) id = (await create(`depth-${level}`, { next: referenceTo(id) })).body.id
    expect((await create('depth-51', { next: referenceTo(id) })).status).toBe(400)
  })

  test('that an older server stored are answered with 400, in lists without what they refer to', async () => {
    const app = await setup()
    const { create } = await seedBlockType(app, 'part', fields)
    const ids = await storeLevels(app, create, 30)
    const top = ids.at(-1) as string
    const probe = startEventLoopProbe()
    const { body: list } = await app.call('POST', '/block_documents/filter', { sort: 'BLOCK_TYPE_AND_NAME_ASC' })
    expect((await app.call('GET', `/block_documents/${top}`)).status).toBe(400)
    await new Promise(setImmediate)
    expect(probe.stop()).toBeLessThan(500)
    expect(list).toHaveLength(30)
    const found = new Map(list.map((one: { id: string }) => [one.id, one]))
    expect(found.get(top)).toMatchObject({ data: { level: 29, ...fourTo(ids[28] as string) }, block_document_references: {} })
    expect(found.get(ids[2])).toMatchObject({ data: { level: 2, a: { level: 1, b: { level: 0 } } } })
    await expect(loadBlockDocument(app.context, app.context.reads, top)).rejects.toThrow('too large')
    // It can be repaired, field by field, and deleted.
    const change = await app.call('PATCH', `/block_documents/${top}`, { data: { a: 1 } })
    expect(change.status).toBe(204)
    expect((await app.call('PATCH', `/block_documents/${top}`, { data: { level: 29 }, merge_existing_data: false })).status).toBe(204)
    expect((await app.call('GET', `/block_documents/${top}`)).body.data).toEqual({ level: 29 })
    expect((await app.call('DELETE', `/block_documents/${ids[20]}`)).status).toBe(204)
  })

  test('in a list insert at most 4 MB together', async () => {
    const app = await setup()
    const { create } = await seedBlockType(app, 'part', fields)
    const large = (await create('0', { text: 'x'.repeat(1_500_000) })).body.id
    for (let n = 1; n <= 4; n += 1) await create(String(n), { a: referenceTo(large) })
    const { body } = await app.call('POST', '/block_documents/filter', { sort: 'NAME_ASC' })
    const expanded = body.map(({ data }: { data: { a?: { text?: string } } }) => data.a?.text !== undefined)
    expect(expanded).toEqual([false, true, true, false, false])
    expect(body[4].data).toEqual({ a: referenceTo(large) })
  })

  test('that lead back to themselves end there', async () => {
    const app = await setup()
    const { create } = await seedBlockType(app, 'part', fields)
    const ids = await storeLevels(app, create, 3)
    const [bottom, , top] = ids as [string, string, string]
    await app.context.commands.submit((tx) =>
      tx.insert('block_document_reference', [
        { id: app.context.newId(), parent_block_document_id: bottom, reference_block_document_id: top, name: 'up' },
      ]),
    )
    expect((await app.call('GET', `/block_documents/${top}`)).body.data.a.b).toEqual({ level: 0 })
    expect((await app.call('GET', `/block_documents/${bottom}`)).body.data.up.a).toEqual({ level: 1 })
  })
})
