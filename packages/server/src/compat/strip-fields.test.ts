import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { eachDialect } from '../../test/setup.ts'

eachDialect('clients up to 3.3.7', (setup) => {
  test.each([
    ['prefect/3.0.0 (API 0.8.4)', false],
    ['prefect/3.3.7 (API 0.8.4)', false],
    ['prefect/3.3.8 (API 0.8.4)', true],
    ['prefect/3.10.0 (API 0.8.4)', true],
    ['curl/8.0', true],
  ])('shows the result storage to %s: %s', async (agent, isShown) => {
    const app = await setup()
    await app.call('POST', '/work_pools/', { name: 'mill', type: 'process' })
    const headers = { 'user-agent': agent, 'content-type': 'application/json' }
    const one = await app.server.inject({ url: '/api/work_pools/mill', headers })
    const [first] = (await app.server.inject({ method: 'POST', url: '/work_pools/filter', headers, payload: '{}' })).json()
    expect('default_result_storage_block_id' in one.json().storage_configuration).toBe(isShown)
    expect(first).toEqual(one.json())
    expect(Object.keys(first.storage_configuration)).toContain('bundle_execution_step')
  })

  test('omits a work queue id that is null', async () => {
    const app = await setup()
    const flow = await app.call('POST', '/flows/', { name: 'f' })
    const { id } = (await app.call('POST', '/deployments/', { name: 'd', flow_id: flow.body.id })).body
    const read = async (agent: string) => (await app.server.inject({ url: `/api/deployments/${id}`, headers: { 'user-agent': agent } })).json()
    const [old, today] = [await read('prefect/3.0.0 (API 0.8.4)'), await read('prefect/3.8.8 (API 0.8.4)')]
    expect(today.work_queue_id).toBeNull()
    expect({ ...old, work_queue_id: null }).toEqual(today)
    expect('work_queue_id' in old).toBe(false)
  })

  test('omits it from a compressed list too', async () => {
    const app = await setup()
    const flow = await app.call('POST', '/flows/', { name: 'f' })
    const description = 'the race runs full\n'.repeat(3000)
    for (let i = 0; i < 12; i += 1) await app.call('POST', '/deployments/', { name: `d-${i}`, flow_id: flow.body.id, description })
    const headers = { 'user-agent': 'prefect/3.0.0 (API 0.8.4)', 'content-type': 'application/json', 'accept-encoding': 'gzip' }
    const answer = await app.server.inject({ method: 'POST', url: '/api/deployments/filter', headers, payload: '{}' })
    expect(answer.headers['content-encoding']).toBe('gzip')
    const listed = JSON.parse(gunzipSync(answer.rawPayload).toString()) as object[]
    expect(listed.map((each) => 'work_queue_id' in each)).toEqual(Array(12).fill(false))
  })
})
