import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { dumpDatabase, secretCanary, seedBlockType } from '../../../test/blocks.ts'
import { eachDialect, type SetupOptions, startApp, type TestApp } from '../../../test/setup.ts'
import { deriveKey } from '../../lib/encryption.ts'
import { loadBlockDocument } from './load-block.ts'
import { rotateEncryptionKey } from './rotate-key.ts'

const first = 'the first key of this server'
const second = 'the second key of this server'
const withKey = (key: string): SetupOptions => ({ env: { MILLRACE_SERVER_ENCRYPTION_KEY: key } })

const secretOf = async (app: TestApp, id: string) => (await loadBlockDocument(app.context, app.context.reads, id))?.data.value
const keysInUse = async (app: TestApp) =>
  (await app.context.reads.kysely.selectFrom('block_document').select('key_id').distinct().execute()).map(({ key_id }) => key_id)

/** Another server on the same database. */
async function withSecondServer<T>(app: TestApp, options: SetupOptions, use: (other: TestApp) => Promise<T>): Promise<T> {
  const other = await startApp(app.context.config.database.url, { seed: 7, sharesFile: true, ...options })
  try {
    return await use(other)
  } finally {
    await other.close()
  }
}

eachDialect('the encryption key', (setup, dialect) => {
  const makeSecrets = async (app: TestApp, count: number): Promise<string[]> => {
    const { create } = await seedBlockType(app, 'secret', { secret_fields: ['value'] })
    const ids: string[] = []
    for (let n = 0; n < count; n += 1) ids.push((await create(`s${n}`, { value: `${secretCanary}-${n}` })).body.id)
    return ids
  }

  test('is generated with the first secret and found by the next server', async () => {
    const app = await setup()
    expect(await dumpDatabase(app)).not.toContain('"secret"')
    const [id = ''] = await makeSecrets(app, 1)
    expect(await withSecondServer(app, {}, (other) => secretOf(other, id))).toBe(`${secretCanary}-0`)
    const kept = await app.context.reads.kysely.selectFrom('encryption_key').selectAll().execute()
    if (dialect === 'postgres') expect(kept).toHaveLength(1)
    else {
      const file = `${app.context.config.database.url.slice('sqlite:'.length)}.key`
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(deriveKey(readFileSync(file, 'utf8')).id).toBe((await keysInUse(app))[0])
      expect(kept).toEqual([])
    }
  })

  test('is generated once by two concurrent servers', async () => {
    const app = await setup()
    const { create } = await seedBlockType(app, 'secret', { secret_fields: ['value'] })
    await withSecondServer(app, {}, async (other) => {
      const { body: type } = await other.call('GET', '/block_types/slug/secret')
      const { body: schemas } = await other.call('POST', '/block_schemas/filter', {})
      const theirs = { name: 'theirs', data: { value: 'x' }, block_type_id: type.id, block_schema_id: schemas[0].id }
      await Promise.all([create('ours', { value: 'x' }), other.call('POST', '/block_documents/', theirs)])
    })
    expect(await keysInUse(app)).toHaveLength(1)
  })

  test('can be rotated while other servers keep reading', async () => {
    const app = await setup()
    const ids = await makeSecrets(app, 3)
    await withSecondServer(app, {}, async (other) => {
      expect(await secretOf(other, ids[0] as string)).toBe(`${secretCanary}-0`)
      expect(await rotateEncryptionKey(app.context, second)).toEqual({ rotated: 3 })
      expect(await keysInUse(app)).toEqual([deriveKey(second).id])
      expect(await secretOf(other, ids[1] as string)).toBe(`${secretCanary}-1`)
    })
    expect(await Promise.all(ids.map((id) => secretOf(app, id)))).toEqual(ids.map((_, n) => `${secretCanary}-${n}`))
    expect(await rotateEncryptionKey(app.context, second)).toEqual({ rotated: 0 })
    const rotations = (await app.call('POST', '/events/filter', { filter: { event: { name: ['millrace.encryption-key.rotated'] } } })).body
    expect(rotations).toMatchObject({
      total: 1,
      events: [{ resource: { 'prefect.resource.id': `millrace.encryption-key.${deriveKey(second).id}` }, payload: { rotated: 3 } }],
    })
    expect(await dumpDatabase(app)).not.toContain(secretCanary)
  })

  test('is rotated in the setting if it is configured there', async () => {
    const app = await setup(withKey(first))
    const [id = ''] = await makeSecrets(app, 1)
    await expect(rotateEncryptionKey(app.context, second)).rejects.toThrow('setting')
    await withSecondServer(app, withKey(`${second},${first}`), async (other) => {
      expect(await secretOf(other, id)).toBe(`${secretCanary}-0`)
      expect(await rotateEncryptionKey(other.context, second)).toEqual({ rotated: 1 })
    })
    expect(await withSecondServer(app, withKey(second), (other) => secretOf(other, id))).toBe(`${secretCanary}-0`)
    await withSecondServer(app, withKey(first), async (other) => {
      expect(await other.call('GET', `/block_documents/${id}`)).toMatchObject({ status: 500, body: { code: 'SECRETS_UNREADABLE' } })
    })
  })

  test('configured later leaves older secrets readable', async () => {
    const app = await setup()
    const [id = ''] = await makeSecrets(app, 1)
    await withSecondServer(app, withKey(first), async (other) => {
      expect(await secretOf(other, id)).toBe(`${secretCanary}-0`)
      await other.call('PATCH', `/block_documents/${id}`, { data: { value: 'new' } })
    })
    expect(await keysInUse(app)).toEqual([deriveKey(first).id])
  })

  test('is rejected at startup if it is weak', async () => {
    await expect(setup(withKey('short'))).rejects.toThrow('at least 16 characters')
  })

  test.runIf(dialect === 'sqlite')('whose file is gone or is another one is named in the answer', async () => {
    const app = await setup()
    const [id = ''] = await makeSecrets(app, 1)
    const file = `${app.context.config.database.url.slice('sqlite:'.length)}.key`
    rmSync(file)
    for (const content of [undefined, 'a key that somebody made up']) {
      if (content) writeFileSync(file, content)
      const { status, body } = await withSecondServer(app, {}, (other) => other.call('GET', `/block_documents/${id}`))
      expect([status, body.code]).toEqual([500, 'SECRETS_UNREADABLE'])
      rmSync(file, { force: true })
    }
    // A new key would hide that the old one is lost.
    const { status } = await withSecondServer(app, {}, (other) => other.call('PATCH', `/block_documents/${id}`, { data: { value: 'x' } }))
    expect([status, existsSync(file)]).toEqual([500, false])
  })
})
