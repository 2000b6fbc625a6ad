import { expect, onTestFinished, test } from 'vitest'
import { startApp, type TestApp } from '../../../test/setup.ts'
import { readiness } from './readiness.ts'

async function startTestApp(env: Record<string, string> = {}): Promise<TestApp> {
  const app = await startApp('sqlite::memory:', { env: { MILLRACE_DATABASE_MIGRATE_ON_START: 'true', ...env } })
  onTestFinished(() => app.close())
  return app
}

test('answers 503 during shutdown on both paths while the process is healthy', async () => {
  const app = await startTestApp()
  expect((await app.call('GET', '/api/ready')).status).toBe(200)
  readiness(app.context).startShutdown()
  for (const path of ['/ready', '/api/ready']) {
    expect(await app.call('GET', path)).toMatchObject({ status: 503, body: { code: 'CLOSING' }, headers: { 'retry-after': '1' } })
  }
  expect((await app.call('GET', '/health')).status).toBe(200)
})

test('delays the shutdown only if a load balancer polls', async () => {
  const unasked = await startTestApp()
  expect(readiness(unasked.context).startShutdown()).toBe(0)

  const askedOnce = await startTestApp()
  await askedOnce.call('GET', '/ready')
  expect(readiness(askedOnce.context).startShutdown()).toBe(0)

  const polled = await startTestApp()
  for (const seconds of [0, 30, 30]) {
    polled.clock.advance(seconds)
    await polled.call('GET', '/ready')
  }
  polled.clock.advance(30)
  expect(readiness(polled.context).startShutdown()).toBe(5)

  const polledBefore = await startTestApp()
  for (let n = 0; n < 3; n += 1) await polledBefore.call('GET', '/ready')
  polledBefore.clock.advance(91)
  expect(readiness(polledBefore.context).startShutdown()).toBe(0)
})

test('delays the shutdown by the configured time in any case', async () => {
  const app = await startTestApp({ MILLRACE_SERVER_SHUTDOWN_DELAY_SECONDS: '12' })
  expect(readiness(app.context).startShutdown()).toBe(12)
})
