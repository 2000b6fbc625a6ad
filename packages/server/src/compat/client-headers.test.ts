import { expect, test } from 'vitest'
import { eachDialect } from '../../test/setup.ts'
import { setLeaseModeHeader } from './client-headers.ts'

test.each([
  ['prefect/3.0.0 (API 0.8.4)', 'brings'],
  ['prefect/3.0.0rc20 (API 0.8.4)', 'brings'],
  ['prefect/3.0.0rc19 (API 0.8.4)', undefined],
  ['prefect/3.0.3 (API 0.8.4)', 'brings'],
  ['prefect/3.0.4 (API 0.8.4)', undefined],
  ['prefect/3.0.30 (API 0.8.4)', undefined],
  ['prefect/3.4.10 (API 0.8.4)', undefined],
  ['prefect/3.4.11rc1 (API 0.8.4)', undefined],
  ['prefect/3.4.11.dev2 (API 0.8.4)', undefined],
  ['prefect/3.4.11 (API 0.8.4)', 'renews'],
  ['prefect/3.4.11+5.g12ab (API 0.8.4)', 'renews'],
  ['prefect/3.5.0.dev1 (API 0.8.4)', 'renews'],
  ['prefect/4.0.0 (API 0.8.4)', 'renews'],
  ['prefect/3.8.8', undefined],
  ['curl/8.0', undefined],
])('sets the lease mode of %s to %s', (agent, mode) => {
  const headers = { 'user-agent': agent }
  setLeaseModeHeader(headers)
  expect(headers).toEqual({ 'user-agent': agent, ...(mode ? { 'x-service-slots': mode } : {}) })
})

test('keeps the lease mode that the client sent', () => {
  const headers = { 'user-agent': 'prefect/3.0.0 (API 0.8.4)', 'x-service-slots': 'renews' }
  setLeaseModeHeader(headers)
  expect(headers['x-service-slots']).toBe('renews')
})

eachDialect('a run of a deployment with a limit', (setup) => {
  async function pendingBy(agent: string) {
    const app = await setup()
    const { id: flow_id } = (await app.call('POST', '/flows/', { name: 'f' })).body
    const { id: deployment_id } = (await app.call('POST', '/deployments/', { name: 'd', flow_id, concurrency_limit: 1 })).body
    const { id } = (await app.call('POST', '/flow_runs/', { flow_id, deployment_id, state: { type: 'SCHEDULED' } })).body
    const propose = async (type: string) => {
      const headers = { 'user-agent': agent, 'content-type': 'application/json' }
      const payload = JSON.stringify({ state: { type } })
      return (await app.server.inject({ method: 'POST', url: `/api/flow_runs/${id}/set_state`, headers, payload })).json()
    }
    const used = async () => (await app.call('GET', `/deployments/${deployment_id}`)).body.global_concurrency_limit.active_slots
    return { app, propose, used, pending: await propose('PENDING') }
  }

  test('gets no slot if its worker has already acquired one', async () => {
    const { pending, used } = await pendingBy('prefect/3.0.2 (API 0.8.4)')
    expect(pending).toMatchObject({ status: 'ACCEPT', state: { type: 'PENDING', state_details: { deployment_concurrency_lease_id: null } } })
    expect(await used()).toBe(0)
  })

  test.each([
    ['prefect/3.4.10 (API 0.8.4)', 1],
    ['prefect/3.8.8 (API 0.8.4)', 0],
  ])('run by %s has %d slots after an hour of silence', async (agent, slots) => {
    const { app, propose, used } = await pendingBy(agent)
    expect((await propose('RUNNING')).status).toBe('ACCEPT')
    app.clock.advance(3600)
    expect(await used()).toBe(slots)
    await propose('COMPLETED')
    expect(await used()).toBe(0)
  })
})
