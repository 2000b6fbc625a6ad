import { expect, test } from 'vitest'
import { eachDialect, startApp } from '../../../test/setup.ts'
import { installSystemBlocks } from './install-system-blocks.ts'
import { allBlocks } from './system-blocks/all-blocks.ts'

test('built-in blocks have unique slugs, titles and checksums', () => {
  for (const field of ['slug', 'title', 'checksum'] as const) expect(new Set(allBlocks.map((block) => block[field])).size).toBe(allBlocks.length)
})

eachDialect('built-in block types', (setup) => {
  test('are installed once without events', async () => {
    const app = await setup()
    expect(await installSystemBlocks(app.context)).toEqual({ installed: allBlocks.length })
    expect(await installSystemBlocks(app.context)).toEqual({ installed: 0 })
    const { body: types } = await app.call('POST', '/block_types/filter', {})
    expect(types.map(({ slug }: { slug: string }) => slug).sort()).toEqual(allBlocks.map(({ slug }) => slug).sort())
    expect(types.filter((type: { is_protected: boolean }) => type.is_protected).map(({ slug }: { slug: string }) => slug)).toEqual([
      'local-file-system',
      'secret',
      'webhook',
    ])
    expect(await app.eventNames()).toEqual([])
  })

  test('are found by the checksums of clients, with nested blocks', async () => {
    const app = await setup()
    await app.call('POST', '/block_types/install_system_block_types')
    const secret = await app.call(
      'GET',
      '/block_schemas/checksum/sha256:c078ed9c1e813e224c0b353d7ad4564a11d51d3198d9ac0686478165a1911c78?version=3.8.8',
    )
    expect(secret).toMatchObject({ status: 200, body: { fields: { title: 'Secret', required: ['value'], secret_fields: ['value'] } } })
    const [{ id }] = (await app.call('POST', '/block_types/filter', { block_types: { slug: { any_: ['s3-bucket'] } } })).body
    const [bucket] = (await app.call('POST', '/block_schemas/filter', { block_schemas: { block_type_id: { any_: [id] } } })).body
    expect(bucket.fields.secret_fields).toEqual(['credentials.minio_root_password', 'credentials.aws_secret_access_key'])
    expect(Object.keys(bucket.fields.definitions).sort()).toEqual(['AwsClientParameters', 'AwsCredentials', 'MinIOCredentials'])
    expect(bucket.fields.block_schema_references.credentials).toHaveLength(2)
  })

  test('keep changes, are restored after a deletion and protect a taken slug', async () => {
    const app = await setup()
    const taken = (await app.call('POST', '/block_types/', { name: 'My Secret', slug: 'secret' })).body.id
    await installSystemBlocks(app.context)
    expect((await app.call('GET', `/block_types/${taken}`)).body).toMatchObject({ name: 'My Secret', is_protected: true })
    const slack = (await app.call('GET', '/block_types/slug/slack-webhook')).body.id
    const webhook = (await app.call('GET', '/block_types/slug/webhook')).body.id
    await app.call('PATCH', `/block_types/${webhook}`, { description: 'ours' })
    await app.call('DELETE', `/block_types/${slack}`)
    expect(await installSystemBlocks(app.context)).toEqual({ installed: 1 })
    expect((await app.call('GET', '/block_types/slug/slack-webhook')).status).toBe(200)
    expect((await app.call('GET', `/block_types/${webhook}`)).body.description).toBe('ours')
  })

  test('are installed once by two concurrent servers', async () => {
    const app = await setup()
    const other = await startApp(app.context.config.database.url, { seed: 7, sharesFile: true })
    await Promise.all([installSystemBlocks(app.context), installSystemBlocks(other.context)])
    await other.close()
    expect((await app.call('POST', '/block_types/filter', {})).body).toHaveLength(allBlocks.length)
    expect((await app.call('POST', '/block_schemas/filter', {})).body).toHaveLength(allBlocks.length)
  })

  test('can be saved with all secrets masked', async () => {
    const app = await setup()
    await installSystemBlocks(app.context)
    for (const { slug, checksum, version, secretFields } of allBlocks.filter((block) => block.nested.length === 0)) {
      const schema = (await app.call('GET', `/block_schemas/checksum/${checksum}?version=${version}`)).body
      const data = Object.fromEntries(secretFields.map((path) => [path.split('.')[0], path.includes('.') ? { password: 'hush', x: 'hush' } : 'hush']))
      const { status, body } = await app.call('POST', '/block_documents/', {
        name: 'mine',
        data,
        block_type_id: schema.block_type_id,
        block_schema_id: schema.id,
      })
      const shown = JSON.stringify(body.data).match(/hush/g)?.length ?? 0
      // Only the password of a connection is secret.
      expect([slug, status, shown]).toEqual([slug, 201, slug === 'sqlalchemy-connector' ? 1 : 0])
    }
  })
})
