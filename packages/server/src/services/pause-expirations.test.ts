import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../test/setup.ts'
import { pauseExpirations } from './pause-expirations.ts'

const runPass = (app: TestApp) => pauseExpirations.runOnce(app.context, new AbortController().signal)

async function createPausedRun(app: TestApp, details: object): Promise<string> {
  const flow_id = (await app.call('POST', '/flows/', { name: 'a flow' })).body.id
  return (await app.call('POST', '/flow_runs/', { flow_id, state: { type: 'PAUSED', state_details: details } })).body.id
}

eachDialect('pause-expirations', (setup) => {
  test('fails only runs that were not resumed in time', async () => {
    const app = await setup()
    const short = await createPausedRun(app, { pause_timeout: '2030-01-01T00:00:05+00:00' })
    const long = await createPausedRun(app, { pause_timeout: '2030-01-01T01:00:00Z' })
    const open = await createPausedRun(app, {})
    expect(await runPass(app)).toEqual({ expired: 0 })
    app.clock.advance(6)
    expect(await runPass(app)).toEqual({ expired: 1 })
    expect(await runPass(app)).toEqual({ expired: 0 })
    const type = async (id: string) => (await app.call('GET', `/flow_runs/${id}`)).body.state_type
    expect([await type(short), await type(long), await type(open)]).toEqual(['FAILED', 'PAUSED', 'PAUSED'])
  })
})
