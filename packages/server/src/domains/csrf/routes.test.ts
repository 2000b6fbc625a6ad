import { expect, test } from 'vitest'
import { eachDialect, startApp, type TestApp } from '../../../test/setup.ts'

const on = { env: { MILLRACE_SERVER_API_CSRF_PROTECTION_ENABLED: 'true' } }
const requestToken = async (app: TestApp, client: string) => (await app.call('GET', `/csrf-token?client=${client}`)).body
const write = (app: TestApp, headers: Record<string, string>) => app.call('POST', '/variables/count', {}, headers)
const signed = (token: string, client: string, prefix = 'prefect') => ({ [`${prefix}-csrf-token`]: token, [`${prefix}-csrf-client`]: client })
const stored = (app: TestApp) => app.context.reads.kysely.selectFrom('csrf_token').selectAll().execute()

eachDialect('CSRF protection', (setup, dialect) => {
  test('issues unstored and unchecked tokens while it is off', async () => {
    const app = await setup()
    const [first, second] = [await requestToken(app, 'a'), await requestToken(app, 'a')]
    expect(first).toMatchObject({ client: 'a', token: expect.stringMatching(/^[0-9a-f]{64}$/), expiration: expect.stringMatching(/^2030-01-01T01:/) })
    expect(second.id).toBe(first.id)
    expect(second.token).not.toBe(first.token)
    app.clock.advance(60)
    const third = await requestToken(app, 'a')
    expect(third.created).toBe(first.created)
    expect(third.updated > first.updated).toBe(true)
    expect((await write(app, signed('made up', 'a'))).status).toBe(200)
    expect(await stored(app)).toEqual([])
  })

  test('requires the token of the client for changes while it is on', async () => {
    const app = await setup(on)
    const { token } = await requestToken(app, 'a')
    await requestToken(app, 'b')
    expect((await write(app, signed(token, 'a'))).status).toBe(200)
    expect((await write(app, signed(token, 'a', 'service'))).status).toBe(200)
    expect((await app.call('GET', '/variables/name/none')).status).toBe(404)
    for (const [headers, words] of [
      [{}, /^Missing CSRF token/],
      [{ 'prefect-csrf-token': token }, /^Missing client/],
      [signed(token, 'b'), /^Invalid CSRF token/],
      [signed(token, 'nobody'), /^Invalid CSRF token/],
      [signed(`${token}0`, 'a'), /^Invalid CSRF token/],
      [signed('', 'a'), /^Invalid CSRF token/],
    ] as const) {
      expect(await write(app, headers)).toMatchObject({ status: 403, body: { detail: expect.stringMatching(words) } })
    }
  })

  test('invalidates a token by a new one and by expiry', async () => {
    const app = await setup(on)
    const first = await requestToken(app, 'a')
    const second = await requestToken(app, 'a')
    expect(second).toMatchObject({ id: first.id, created: first.created })
    expect((await write(app, signed(first.token, 'a'))).status).toBe(403)
    expect((await write(app, signed(second.token, 'a'))).status).toBe(200)
    app.clock.advance(3601)
    expect((await write(app, signed(second.token, 'a'))).status).toBe(403)
  })

  test('batches concurrent clients and gives one token to each name', async () => {
    const app = await setup(on)
    const tokens = await Promise.all(Array.from({ length: 60 }, (_, i) => requestToken(app, `c${i % 20}`)))
    const answers = await Promise.all(tokens.slice(40).map(({ token, client }) => write(app, signed(token, client))))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await stored(app)).toHaveLength(20)
  })

  test('stores digests only and deletes expired ones', async () => {
    const app = await setup(on)
    const { token } = await requestToken(app, 'a')
    expect(JSON.stringify(await stored(app))).not.toContain(token)
    app.clock.advance(3601)
    await requestToken(app, 'b')
    expect((await stored(app)).map(({ client }) => client)).toEqual(['b'])
  })

  test('rejects a missing or overlong client name', async () => {
    const app = await setup(on)
    expect(await app.call('GET', '/csrf-token')).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', 'client'] }] } })
    expect(await app.call('GET', `/csrf-token?client=${'x'.repeat(501)}`)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['query', 'client'] }] },
    })
  })

  test.runIf(dialect === 'postgres')('a token of one replica is good at another', async () => {
    const app = await setup(on)
    const other = await startApp(app.context.config.database.url, { ...on, seed: 2 })
    try {
      const first = await requestToken(app, 'a')
      expect((await write(other, signed(first.token, 'a'))).status).toBe(200)
      const second = await requestToken(other, 'a')
      expect((await write(app, signed(first.token, 'a'))).status).toBe(403)
      expect((await write(app, signed(second.token, 'a'))).status).toBe(200)
    } finally {
      await other.close()
    }
  })
})
