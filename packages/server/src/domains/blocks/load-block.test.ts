import { expect, test } from 'vitest'
import { seedBlockType } from '../../../test/blocks.ts'
import { eachDialect } from '../../../test/setup.ts'
import { loadBlockDocument } from './load-block.ts'

eachDialect('loading a block', (setup) => {
  test('returns secrets, also within a transaction', async () => {
    const app = await setup()
    const { create } = await seedBlockType(app, 'hook', { secret_fields: ['url', 'headers.*'] }, ['notify'])
    const inner = (await create('inner', { url: 'http://inner.test' })).body.id
    const { id } = (await create('outer', { url: 'http://x.test?token=1', headers: { a: 'b' }, next: { $ref: { block_document_id: inner } } })).body
    const expected = {
      name: 'outer',
      block_type_slug: 'hook',
      block_type_name: 'Kind hook',
      capabilities: ['notify'],
      data: { url: 'http://x.test?token=1', headers: { a: 'b' }, next: { url: 'http://inner.test' } },
    }
    expect(await loadBlockDocument(app.context, app.context.reads, id)).toEqual(expected)
    expect(await app.context.commands.submit((tx) => loadBlockDocument(app.context, tx, id))).toEqual(expected)
    expect(await loadBlockDocument(app.context, app.context.reads, '00000000-0000-4000-8000-000000000000')).toBeUndefined()
  })
})
