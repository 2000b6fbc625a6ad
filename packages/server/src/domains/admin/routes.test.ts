import { expect, test } from 'vitest'
import { eachDialect } from '../../../test/setup.ts'

eachDialect('admin routes', (setup) => {
  test('report that the server is alive and ready', async () => {
    const app = await setup()
    expect(await app.call('GET', '/health')).toMatchObject({ status: 200, body: true })
    expect(await app.call('GET', '/ready')).toMatchObject({ status: 200, body: { message: 'OK' } })
    expect((await app.call('GET', '/hello')).body).toBe('👋')
  })

  test('report the version in the form that clients compare', async () => {
    const app = await setup()
    expect((await app.call('GET', '/admin/version')).body).toMatch(/^3\.\d+\.\d+$/)
  })

  test('report nested settings without secrets', async () => {
    const secret = 'user:a-word-nobody-may-see'
    const app = await setup({ env: { MILLRACE_SERVER_API_AUTH_STRING: secret, MILLRACE_SERVER_LOG_LEVEL: 'error' } })
    const { status, body } = await app.call('GET', '/admin/settings', undefined, { authorization: `Basic ${Buffer.from(secret).toString('base64')}` })
    expect(status).toBe(200)
    expect(body.settings.server.log_level).toBe('error')
    const text = JSON.stringify(body)
    expect(text).not.toContain('a-word-nobody-may-see')
    // The database password is hidden too.
    expect(text).not.toMatch(/:\/\/[^/"]*:[^/"@*]+@/)
  })
})
